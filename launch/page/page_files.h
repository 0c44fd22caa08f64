// The files that a program reads for its page, and the page that it writes.
#pragma once

#include <stdexcept>
#include <string>

namespace launch {

/// A file that cannot be read: an argument that cannot be.
struct PageFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file's text; "-" is standard input.
std::string read_text(const std::string& name);

/// Writes it; "" is standard output.
void write_text(const std::string& name, const std::string& text);

}  // namespace launch
