// Numbers with units, as settings and files have them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace corespec {

struct Unit {
  std::string_view name;
  double factor;
};

/// To nanoseconds.
inline constexpr Unit time_units[] = {
    {"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

/// A number with one of the units, whatever its case, or without: then `plain_factor` counts, or,
/// if there is none, the text is no such number. Nothing if it does not parse to the end.
std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                      std::optional<double> plain_factor);

}  // namespace corespec
