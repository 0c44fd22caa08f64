// Which sizes of messages go by which of the protocols E0, E1, R0 and R1, and what E1 needs.
#pragma once

#include <cstdint>

#include "corespec/config/parameters.h"

namespace netmod {

/// What DMA buffers and landing rings are measured in.
constexpr std::uint32_t dma_buffer_bytes = 32768;

/// R0 is for less than MPICH_GNI_NDREG_MAXSIZE bytes, which is a parameter as it stands.
struct Limits {
  std::uint32_t vshort = 1024;     ///< largest payload of E0, in bytes
  std::uint32_t max_eager = 8192;  ///< payloads below this are eager
  std::uint32_t rdma_threshold = 1024;
  std::uint32_t landing_bytes = 0;  ///< E1 landing ring per peer
  std::uint32_t largest_eager = 0;  ///< largest eager message with its header, rounded up
};

Limits make_limits(const corespec::Parameters& parameters, int job_size);

}  // namespace netmod
