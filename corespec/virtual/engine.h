// The discrete-event loop over all domains of a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/time/time.h"
#include "corespec/virtual/virtual_domain.h"

namespace corespec {

/// Runs the domain with the earliest event up to its horizon, then the next. The result does not
/// depend on how far each domain runs at a time: effects between domains take at least the least
/// delay, and each domain's own order is total.
class Engine {
 public:
  enum class End { stopped, nothing_left };

  VirtualDomain& add_domain();
  /// The least delay between domains; to be set before run().
  void set_least_delay(Time delay) { least_delay_ = delay; }
  Time least_delay() const { return least_delay_; }

  /// Runs until stop() or until no event is left.
  End run();
  void stop() { stopped_ = true; }

  /// Time of the latest event handled in any domain.
  Time latest() const;
  std::uint64_t events() const;
  /// Events begun so far; moves whenever a thread or anything else gets its turn. May be read from
  /// a signal handler.
  std::uint64_t switches() const { return begun_; }
  /// Hash of the ordered event stream: equal runs reproduce it.
  std::uint64_t fingerprint() const;

 private:
  friend class VirtualDomain;
  void run_domain(VirtualDomain& domain);
  void moved_earlier(VirtualDomain& domain);
  void sift_up(std::size_t position);
  void sift_down(std::size_t position);
  void place(std::size_t position, VirtualDomain* domain) {
    heap_[position] = domain;
    domain->position_ = static_cast<std::uint32_t>(position);
  }

  std::vector<std::unique_ptr<VirtualDomain>> domains_;
  std::vector<VirtualDomain*> heap_;  ///< binary heap by next_time()
  VirtualDomain* running_ = nullptr;
  Time least_delay_ = Time::nanoseconds(1);
  bool stopped_ = false;
  volatile std::uint64_t begun_ = 0;
};

}  // namespace corespec
