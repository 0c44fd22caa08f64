// On which wire the tests of a program are to run: TEST_WIRE=reordering:SEED, else on their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corespec/config/parameters.h"

namespace castor_test {

/// Of the ReorderingWire that is to stand around the tests' own.
inline std::optional<std::uint64_t> reordering_seed() {
  constexpr std::string_view reordering = "reordering:";
  for (const auto& [name, value] : corespec::environment()) {
    if (name != "TEST_WIRE" || !value.starts_with(reordering)) continue;
    return std::stoull(value.substr(reordering.size()));
  }
  return std::nullopt;
}

}  // namespace castor_test
