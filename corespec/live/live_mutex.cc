// Taking a live lock, and counting it.
#include "corespec/live/live_mutex.h"

#include "corespec/live/live_clock.h"
#include "corespec/live/live_domain.h"

namespace corespec {

void LiveMutex::lock() {
  if (!lock_.try_lock()) {
    const std::int64_t start = LiveClock::host_nanoseconds();
    const unsigned held = domain_->give_up();
    lock_.lock();
    domain_->take_back(held);
    count(waits_, 1);
    count(waited_ns_, static_cast<std::uint64_t>(LiveClock::host_nanoseconds() - start));
  }
  count(acquisitions_, 1);
}

bool LiveMutex::try_lock() {
  if (!lock_.try_lock()) return false;
  count(acquisitions_, 1);
  return true;
}

void LiveMutex::yield() {
  lock_.hand_over();
  lock_.lock();
  count(acquisitions_, 1);
}

Mutex::Statistics LiveMutex::statistics() const {
  Statistics statistics;
  statistics.acquisitions = acquisitions_.load(std::memory_order_relaxed);
  statistics.waits = waits_.load(std::memory_order_relaxed);
  statistics.waited = Time::picoseconds(
      static_cast<std::int64_t>(waited_ns_.load(std::memory_order_relaxed)) * 1000);
  return statistics;
}

}  // namespace corespec
