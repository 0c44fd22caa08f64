// Seam 1, clock and event queue: what time is it; run this event at that time.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "corespec/events/prefetch.h"
#include "corespec/time/time.h"

namespace corespec {

class Observer;

/// Something that happens later. Owned by the object that schedules it (NIC, router, thread); the
/// queue only points to it, so scheduling allocates nothing. One object may be scheduled several
/// times; `arg` tells the firings apart (a generation count, for instance, to ignore stale ones).
class Event : public Prefetchable {
 public:
  virtual void fire(std::uint64_t arg) = 0;
  /// False: a repetition of what has changed nothing before (NewsWatch).
  virtual bool brings_news() const { return true; }

 protected:
  ~Event() = default;
};

/// Where events come from. Events at equal times are ordered by (source id, that source's own
/// counter), so the order never depends on memory addresses or on which ran first. Every thread,
/// NIC and router is one source; ids are unique in a machine.
struct EventSource {
  static constexpr int count_bits = 35;
  std::uint32_t id = 0;     ///< below 2^29
  std::uint64_t count = 0;  ///< events scheduled so far; below 2^35
};

/// In a domain of many lanes (all routers of a network) an event's `arg` says in which it fires:
/// the lane above, what the event makes of it in the lowest byte. Events of one lane are in order;
/// lanes affect each other, as domains do, no earlier than the least delay.
constexpr std::uint64_t in_lane(std::uint32_t lane, std::uint8_t what) {
  return std::uint64_t{lane} << 8 | what;
}
constexpr std::uint32_t lane_of(std::uint64_t arg) { return static_cast<std::uint32_t>(arg >> 8); }

/// The smallest part of a machine that is ordered on its own: the nodes of a few Geminis, or
/// routers (and one more domain for the machine's service network). Within a domain everything
/// happens in strict order; domains affect each other only through schedule_from(), never earlier
/// than the machine's least delay between domains. That is what lets domains run ahead of each
/// other, one after another or in parallel, with the same result.
///
/// Whatever belongs to a domain (its NICs, queues, registered regions) is touched only by its
/// holder: an event, or a thread with a Hold. In virtual time one thread at a time executes, which
/// holds everything; live, a thread that waits in the kernel or polls gives the domain up
/// meanwhile.
class EventDomain {
 public:
  /// What makes several host threads take turns; the thread that has it may take it again, which
  /// happens most of the time and costs no more than a look.
  class Lock {
   public:
    void lock() {
      if (held()) {
        ++depth_;
      } else {
        take(1);
      }
    }
    void unlock() {
      if (depth_ != 1) {
        --depth_;
      } else {
        leave();
      }
    }

   protected:
    ~Lock() = default;
    /// By the calling thread.
    bool held() const { return owner_.load(std::memory_order_relaxed) == pthread_self(); }
    /// Taken `depth` times, by a thread that does not hold it.
    virtual void take(unsigned depth) = 0;
    /// Given up by the thread that holds it once.
    virtual void leave() = 0;

    std::atomic<pthread_t> owner_{};
    unsigned depth_ = 0;  ///< the owner's
  };

  /// Holds a domain.
  class Hold {
   public:
    explicit Hold(EventDomain& domain) : lock_(domain.lock_) {
      if (lock_ != nullptr) lock_->lock();
    }
    ~Hold() {
      if (lock_ != nullptr) lock_->unlock();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Lock* lock_;
  };

  virtual ~EventDomain() = default;

  /// Null: one host thread, which always holds it.
  Lock* lock() const { return lock_; }

  /// The domain's present time (virtual: the time of the event being handled).
  virtual Time now() const = 0;

  /// Fires `event` in this domain at `at` (not before now()). Only from within this domain.
  virtual void schedule(Time at, EventSource& source, Event& event, std::uint64_t arg) = 0;

  /// The same, called from within another domain: `at` is at least the least delay between
  /// domains after the caller's now(). `source` belongs to the caller. From this domain itself it
  /// is schedule().
  virtual void schedule_from(EventDomain& caller, Time at, EventSource& source, Event& event,
                             std::uint64_t arg) = 0;

  /// Adds one fact to the run's fingerprint, in this domain's order: call it where a modelled
  /// effect takes place (a delivery, a wake-up), with values that equal runs reproduce.
  virtual void record(std::uint64_t what, std::uint64_t value) = 0;

  /// Hears of what happens here; null: no object does (corespec/events/observer.h). Given before
  /// the run begins, it outlives it.
  Observer* observer() const { return observer_; }
  void set_observer(Observer* observer) { observer_ = observer; }

 protected:
  EventDomain() = default;
  explicit EventDomain(Lock* lock) : lock_(lock) {}

 private:
  Lock* lock_ = nullptr;
  Observer* observer_ = nullptr;
};

}  // namespace corespec
