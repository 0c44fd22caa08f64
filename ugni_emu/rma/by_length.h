// Copies of short runs, of which strided data have many: without a call for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rma {

/// Calls `copy(length)` with the length as a constant that the compiler knows, for the usual
/// lengths of elements and groups of them, else as a number. Worth it around a loop over the runs.
template <class Copy>
void by_length(std::int64_t bytes, const Copy& copy) {
  switch (bytes) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>());
    case 2:
      return copy(std::integral_constant<std::size_t, 2>());
    case 4:
      return copy(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy(std::integral_constant<std::size_t, 8>());
    case 12:
      return copy(std::integral_constant<std::size_t, 12>());
    case 16:
      return copy(std::integral_constant<std::size_t, 16>());
    case 24:
      return copy(std::integral_constant<std::size_t, 24>());
    case 32:
      return copy(std::integral_constant<std::size_t, 32>());
    case 40:
      return copy(std::integral_constant<std::size_t, 40>());
    case 64:
      return copy(std::integral_constant<std::size_t, 64>());
    default:
      return copy(static_cast<std::size_t>(bytes));
  }
}

}  // namespace rma
