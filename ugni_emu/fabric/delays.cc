// Modelled delays: two servers per node, whose free times lie in node memory.
#include "ugni_emu/fabric/delays.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "corespec/config/parameters.h"

namespace ugni::fabric {

using corespec::Time;

struct Delays::Shared {
  std::atomic<std::int64_t> injection_free;  // ps
  std::byte between[120];                    // a cache line each
  std::atomic<std::int64_t> ejection_free;
};

namespace {

/// Takes `duration` of a server from `earliest` on; when it ends.
Time reserve(std::atomic<std::int64_t>& free, Time earliest, Time duration) {
  std::int64_t before = free.load(std::memory_order_relaxed);
  std::int64_t end = 0;
  do {
    end = std::max(before, earliest.ps()) + duration.ps();
  } while (!free.compare_exchange_weak(before, end, std::memory_order_relaxed));
  return Time::picoseconds(end);
}

}  // namespace

Delays::Delays(corespec::Node& node, const gemini::Topology& topology, bool modelled)
    : topology_(&topology) {
  const corespec::Parameters& parameters = node.parameters();
  hop_ = parameters.hop_latency;
  to_router_ = parameters.nic_to_router_latency;
  loopback_ = parameters.memory_latency;
  bandwidth_ = parameters.nic_bandwidth;
  if (!modelled) return;
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  // Zeroed memory is both servers free from the job's start on.
  shared_ = reinterpret_cast<Shared*>(node.memory().segment("wire.delays", sizeof(Shared)));
}

Time Delays::bytes_time(std::uint64_t bytes) const {
  return modelled() ? Time::for_bytes(bytes, bandwidth_) : Time();
}

Time Delays::injected(Time now, std::uint64_t bytes) {
  if (!modelled()) return now;
  return reserve(shared_->injection_free, now, bytes_time(bytes));
}

Time Delays::ejected(Time arrival, std::uint64_t bytes) {
  if (!modelled()) return arrival;
  const Time duration = bytes_time(bytes);
  return reserve(shared_->ejection_free, arrival - duration, duration);
}

Time Delays::path(NicAddress from, NicAddress to) const {
  if (!modelled()) return {};
  if (from == to || !topology_->contains(from) || !topology_->contains(to)) return loopback_;
  return to_router_ * 2 + hop_ * topology_->hops(from, to);
}

void Delays::note(Time due, Time now) {
  if (!modelled()) return;
  ++lateness_.timed;
  if (now <= due) return;
  ++lateness_.late;
  lateness_.most = std::max(lateness_.most, now - due);
  lateness_.total += now - due;
}

}  // namespace ugni::fabric
