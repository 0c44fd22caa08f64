// Lists of figures, with the text that a program has printed for each.
#include "benchmarks/published/values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace published {

Value::Value(std::string printed)
    : number(std::strtod(printed.c_str(), nullptr)), text(std::move(printed)) {}

std::string text_of(const Value& value, int decimals) {
  if (decimals >= 0) return fmt::format("{:.{}f}", value.number, decimals);
  return value.text.empty() ? fmt::format("{:.6g}", value.number) : value.text;
}

std::string text_of(const Values& values, int decimals) {
  std::string all;
  for (const Value& value : values) all += (all.empty() ? "" : " ") + text_of(value, decimals);
  return all;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(number);
}

}  // namespace published
