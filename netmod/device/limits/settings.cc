// What the device derives from the parameters.
#include "netmod/device/limits/settings.h"

#include <algorithm>

#include "netmod/device/between_nodes/landing_ring.h"
#include "netmod/device/messages/packet.h"

namespace netmod {
namespace {

ThreadLevel level_named(const std::string& name) {
  if (name == "single") return ThreadLevel::single;
  if (name == "funneled") return ThreadLevel::funneled;
  if (name == "serialized") return ThreadLevel::serialized;
  return ThreadLevel::multiple;
}

ProgressDesign design_named(const corespec::Parameters& p) {
  const std::string& name = p.async_progress;
  if (name == "1" || name == "SC" || name == "enabled") return ProgressDesign::phase_one;
  if (name == "MC") return ProgressDesign::phase_two;
  return p.stock_async_progress ? ProgressDesign::active : ProgressDesign::none;
}

/// Mailboxes are memory per peer: the larger the job, the smaller they are (CHARM's steps).
std::uint32_t vshort_for(const corespec::Parameters& p, int job_size) {
  if (p.max_vshort != 0) return static_cast<std::uint32_t>(p.max_vshort);
  return job_size <= 4096 ? 1024 : job_size <= 16384 ? 512 : 256;
}

}  // namespace

Settings make_settings(const corespec::Parameters& p, int job_size, ThreadLevel requested,
                       const char** warning) {
  Settings settings;
  settings.parameters = &p;
  const ThreadLevel highest = level_named(p.max_thread_safety);
  settings.design = design_named(p);
  *warning = nullptr;
  if (settings.design != ProgressDesign::none && highest != ThreadLevel::multiple) {
    *warning =
        "MPICH: asynchronous progress needs MPICH_MAX_THREAD_SAFETY=multiple; going on without it";
    settings.design = ProgressDesign::none;
  }
  settings.granted = std::min(requested, highest);
  settings.vshort = vshort_for(p, job_size);
  settings.max_eager = static_cast<std::uint32_t>(p.max_eager);
  settings.rdma_threshold = static_cast<std::uint32_t>(p.rdma_threshold);
  // One DMA buffer per peer to land in; more where that does not hold two of the largest message
  // (a ring that skips its end needs both).
  settings.largest_eager =
      LandingRing::units_for(settings.max_eager + wire_header_bytes) * LandingRing::unit_bytes;
  const std::uint32_t two = 2 * settings.largest_eager;
  settings.landing_bytes =
      std::max(1u, (two + dma_buffer_bytes - 1) / dma_buffer_bytes) * dma_buffer_bytes;
  return settings;
}

}  // namespace netmod
