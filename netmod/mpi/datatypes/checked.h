// Arithmetic on numbers that a program gave: what does not fit into 64 bits is an error of the
// call.
#pragma once

#include <cstdint>

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// A product or a sum that says how large a datatype is, or how far it reaches, does not fit
/// (MPI_ERR_ARG).
[[noreturn]] void fail_type_too_large();
/// The bytes of `count` elements, or where they lie, do not fit (MPI_ERR_COUNT).
[[noreturn]] void fail_elements_too_large(std::int64_t count, const Datatype& type);

// Of sizes, counts and displacements that make up a datatype.
inline std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    fail_type_too_large();
  return product;
}
inline std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    fail_type_too_large();
  return sum;
}
inline std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    fail_type_too_large();
  return difference;
}

/// Of a made datatype: from the first to behind the last byte of `count` elements, relative to the
/// address of the first, and their bytes of data. False: one does not fit.
bool elements_fit(std::int64_t count, const Datatype& type);

/// Whatever a call computes of `count` elements fits. A simple type has at most 32 bytes and needs
/// no look: a count is an int, or an int times the number of ranks.
inline void check_elements(std::int64_t count, const TypeView& type) {
  if (type.layout == nullptr) [[likely]]
    return;
  if (!elements_fit(count, *type.layout)) fail_elements_too_large(count, *type.layout);
}

/// A displacement in units of the datatype's extent, in bytes.
inline std::int64_t displaced(std::int64_t displacement, const TypeView& type) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(displacement, type.extent, &bytes)) [[unlikely]]
    fail_elements_too_large(displacement, *type.layout);
  return bytes;
}

}  // namespace netmod
