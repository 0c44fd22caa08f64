// The limits of the protocols, from the parameters and the size of the job.
#include "netmod/device/settings/limits.h"

#include <algorithm>

#include "netmod/device/messages/landing_ring.h"
#include "netmod/device/messages/packet.h"

namespace netmod {
namespace {

/// Mailboxes are memory per peer: the larger the job, the smaller they are (CHARM's steps).
std::uint32_t vshort_for(const corespec::Parameters& p, int job_size) {
  if (p.max_vshort != 0) return static_cast<std::uint32_t>(p.max_vshort);
  return job_size <= 4096 ? 1024 : job_size <= 16384 ? 512 : 256;
}

}  // namespace

Limits make_limits(const corespec::Parameters& p, int job_size) {
  Limits limits;
  limits.vshort = vshort_for(p, job_size);
  limits.max_eager = static_cast<std::uint32_t>(p.max_eager);
  limits.rdma_threshold = static_cast<std::uint32_t>(p.rdma_threshold);
  // One DMA buffer per peer to land in; more where that does not hold two of the largest message
  // (a ring that skips its end needs both).
  limits.largest_eager =
      LandingRing::units_for(limits.max_eager + wire_header_bytes) * LandingRing::unit_bytes;
  const std::uint32_t two = 2 * limits.largest_eager;
  limits.landing_bytes =
      std::max(1u, (two + dma_buffer_bytes - 1) / dma_buffer_bytes) * dma_buffer_bytes;
  return limits;
}

}  // namespace netmod
