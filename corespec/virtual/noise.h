// Seeded noise of a node: kernel threads and daemons.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"

namespace corespec {

class NewsWatch;
class VirtualNode;

/// Short kernel-thread bursts and long daemon bursts, exponentially distributed in interval and
/// length, each on a CPU drawn among those that core specialization leaves them. A burst takes the
/// CPU from the thread that runs there. Goes on while the node has application threads and anything
/// else is left to happen.
class Noise final : private Event {
 public:
  Noise(VirtualNode& node, NewsWatch& watch, EventSource source, std::uint64_t seed);
  void start();
  /// The node's last application thread has ended: what is still to come would only make the run
  /// seem longer.
  void stop();

 private:
  enum Kind : std::uint64_t { tick, daemon };
  void fire(std::uint64_t kind) override;
  bool brings_news() const override { return false; }
  void schedule_next(Kind kind);

  VirtualNode& node_;
  NewsWatch& watch_;
  EventSource source_;
  RandomStream random_;
};

}  // namespace corespec
