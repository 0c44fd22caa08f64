// Seeded noise of a node: kernel threads and daemons.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"

namespace corespec {

class Engine;
class VirtualNode;

/// What the noise of all nodes has in common: it knows when nothing else is left to happen.
class NoiseWatch {
 public:
  explicit NoiseWatch(const Engine& engine) : engine_(engine) {}
  void scheduled() { ++pending_; }
  void cancelled(std::size_t events) { pending_ -= events; }
  /// An event of noise has begun. False: there is only noise left, and it is to cease.
  bool goes_on();

 private:
  const Engine& engine_;
  std::uint64_t pending_ = 0;  ///< events of noise still to come
  std::uint64_t begun_ = 0;
  std::uint64_t others_ = 0;  ///< events begun that were none of noise, when last looked
  std::size_t alone_ = 0;     ///< events of noise since then
  bool over_ = false;
};

/// Short kernel-thread bursts and long daemon bursts, exponentially distributed in interval and
/// length, each on a CPU drawn among those that core specialization leaves them. A burst takes the
/// CPU from whoever runs there. Goes on while the node has application threads and anything else is
/// left to happen.
class Noise final : private Event {
 public:
  Noise(VirtualNode& node, NoiseWatch& watch, EventSource source, std::uint64_t seed);
  void start();
  /// The node's last application thread has ended: what is still to come would only make the run
  /// seem longer.
  void stop();

 private:
  enum Kind : std::uint64_t { tick, daemon };
  void fire(std::uint64_t kind) override;
  void schedule_next(Kind kind);

  VirtualNode& node_;
  NoiseWatch& watch_;
  EventSource source_;
  RandomStream random_;
};

}  // namespace corespec
