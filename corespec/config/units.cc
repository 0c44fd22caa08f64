// Numbers with units.
#include "corespec/config/units.h"

#include <strings.h>

#include <charconv>
#include <cmath>

namespace corespec {

std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                      std::optional<double> plain_factor) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  const std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (suffix.empty()) {
    if (!plain_factor) return std::nullopt;
    return value * *plain_factor;
  }
  for (const Unit& unit : units) {
    if (suffix.size() == unit.name.size() &&
        strncasecmp(suffix.data(), unit.name.data(), suffix.size()) == 0) {
      return value * unit.factor;
    }
  }
  return std::nullopt;
}

}  // namespace corespec
