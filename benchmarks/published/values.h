// Lists of figures, with the text that a program has printed for each.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace published {

/// A fault of a data file, or a figure that is not there.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Value {
  double number = 0;
  std::string text;  ///< as printed, or as rounded; what was calculated has none

  Value() = default;
  explicit Value(double value) : number(value) {}
  explicit Value(std::string printed);
};

/// One for each size, rank count, seed, ...; a single figure is a list of one.
using Values = std::vector<Value>;

/// With so many decimals; -1: as it was printed.
std::string text_of(const Value& value, int decimals);

/// The same of all, with blanks between them.
std::string text_of(const Values& values, int decimals);

/// Whether all of a text is a number.
bool is_number(const std::string& text);

}  // namespace published
