// The representation "external32" of the MPI standard: big-endian, with sizes of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// Bytes of one element of a signature in it.
std::int64_t external_bytes(const Signature& signature);

/// Converts `count` elements of a signature, packed in the host's representation, and back.
/// MPI_ERR_CONVERSION: a number does not fit.
void to_external(const Signature& signature, std::int64_t count, const std::byte* native,
                 std::byte* external);
void from_external(const Signature& signature, std::int64_t count, const std::byte* external,
                   std::byte* native);

}  // namespace netmod
