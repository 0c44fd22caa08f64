// A line's fields, one after the other.
#include "apps/traces/ti/ti_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ti {
namespace {

constexpr std::string_view blanks = " \t";

template <typename Number>
bool parse(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

void Line::skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }

std::string_view Line::word() {
  if (!more()) fail();
  const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
  rest_.remove_prefix(word.size());
  skip();
  return word;
}

std::int32_t Line::whole() {
  std::int32_t number = 0;
  if (!parse(word(), number)) fail();
  return number;
}

double Line::amount(const char* what) {
  const std::string_view said = word();
  double number = 0;
  if (!parse(said, number)) fail();
  if (!std::isfinite(number) || number < 0) {
    fail(fmt::format("{} {}: must be at least 0", what, said));
  }
  return number;
}

std::int32_t Line::count(const char* what) {
  const std::string_view said = rest_.substr(0, rest_.find_first_of(blanks));
  double number = 0;
  if (!parse(word(), number)) fail();
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  if (!(number >= 0 && number < most + 1)) {
    fail(fmt::format("{} {}: must be 0 to 2147483647", what, said));
  }
  return static_cast<std::int32_t>(number);
}

}  // namespace ti
