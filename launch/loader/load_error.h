// The one error of loading: a line that says which file, what is wrong, and the way out.
#pragma once

#include <stdexcept>
#include <string>

namespace launch {

/// A program cannot be run. what() is one line without a prefix, for example
/// "a.out: linked for fixed addresses; relink it as a position-independent executable (-pie)".
class LoadError : public std::runtime_error {
 public:
  LoadError(const std::string& file, const std::string& reason)
      : std::runtime_error(file + ": " + reason) {}
};

}  // namespace launch
