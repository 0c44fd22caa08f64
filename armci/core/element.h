// The element types of accumulates, and the arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace armci {

enum class Element : std::uint8_t {
  none,
  int32,
  int64,
  float32,
  float64,
  complex64,   ///< two floats
  complex128,  ///< two doubles
};

/// Of either dialect's ARMCI_ACC_ constants; none if it is no such.
Element element_of(int type);
std::size_t bytes_of(Element element);

/// A scale factor: one element, in its type.
struct Scale {
  std::byte bytes[16] = {};
};

/// to[i] += scale * from[i] over `bytes` bytes. Neither need be aligned.
void accumulate(Element element, const Scale& scale, std::byte* to, const std::byte* from,
                std::size_t bytes);

}  // namespace armci
