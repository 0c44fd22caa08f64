// Seeded noise of a node: kernel threads and daemons.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"

namespace corespec {

class VirtualNode;

/// Short kernel-thread bursts and long daemon bursts, exponentially distributed in interval and
/// length, each on a CPU drawn among those that core specialization leaves them. A burst takes the
/// CPU from whoever runs there. Goes on while the node has application threads.
class Noise final : private Event {
 public:
  Noise(VirtualNode& node, EventSource source, std::uint64_t seed);
  void start();

 private:
  enum Kind : std::uint64_t { tick, daemon };
  void fire(std::uint64_t kind) override;
  void schedule_next(Kind kind);

  VirtualNode& node_;
  EventSource source_;
  RandomStream random_;
};

}  // namespace corespec
