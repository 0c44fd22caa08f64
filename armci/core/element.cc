// The arithmetic of accumulates.
#include "armci/core/element.h"

#include <complex>
#include <cstring>

namespace armci {
namespace {

template <typename Value>
void add(const Scale& scale, std::byte* to, const std::byte* from, std::size_t bytes) {
  Value factor;
  std::memcpy(&factor, scale.bytes, sizeof factor);
  for (std::size_t at = 0; at + sizeof(Value) <= bytes; at += sizeof(Value)) {
    Value sum;
    Value term;
    std::memcpy(&sum, to + at, sizeof sum);
    std::memcpy(&term, from + at, sizeof term);
    sum += factor * term;
    std::memcpy(to + at, &sum, sizeof sum);
  }
}

// Integers overflow as the hardware's do.
template <typename Unsigned>
void add_integers(const Scale& scale, std::byte* to, const std::byte* from, std::size_t bytes) {
  add<Unsigned>(scale, to, from, bytes);
}

}  // namespace

Element element_of(int type) {
  switch (type) {
    case 0:
    case 37:
      return Element::int32;
    case 1:
    case 42:
      return Element::int64;
    case 2:
    case 39:
      return Element::float32;
    case 3:
    case 38:
      return Element::float64;
    case 4:
    case 40:
      return Element::complex64;
    case 5:
    case 41:
      return Element::complex128;
    default:
      return Element::none;
  }
}

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::int32:
    case Element::float32:
      return 4;
    case Element::int64:
    case Element::float64:
    case Element::complex64:
      return 8;
    case Element::complex128:
      return 16;
    case Element::none:
      break;
  }
  return 0;
}

void accumulate(Element element, const Scale& scale, std::byte* to, const std::byte* from,
                std::size_t bytes) {
  switch (element) {
    case Element::int32:
      return add_integers<std::uint32_t>(scale, to, from, bytes);
    case Element::int64:
      return add_integers<std::uint64_t>(scale, to, from, bytes);
    case Element::float32:
      return add<float>(scale, to, from, bytes);
    case Element::float64:
      return add<double>(scale, to, from, bytes);
    case Element::complex64:
      return add<std::complex<float>>(scale, to, from, bytes);
    case Element::complex128:
      return add<std::complex<double>>(scale, to, from, bytes);
    case Element::none:
      return;
  }
}

}  // namespace armci
