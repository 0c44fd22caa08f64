// A counter that says "something changed": what polling threads watch.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/events/prefetch.h"

namespace corespec {

/// Notified when something arrives that a polling thread may be waiting for. The poller reads
/// epoch(), polls, and if it found nothing spins until the epoch moves on: a notification between
/// the two is never lost. Virtual time: notify() tells spinning threads, which then compute the
/// poll boundary at which they see it. Live: it wakes the threads that sleep until then, in
/// any process of the node.
class Signal {
 public:
  /// A thread (or a group of them) that spins on the signal.
  class Watcher : public Prefetchable {
   public:
    virtual void notified() = 0;
    Watcher* next_watcher = nullptr;

   protected:
    ~Watcher() = default;
  };

  /// The owner of the queues that a notified thread looks at, to be prefetched; of this process.
  /// Null: there is none (any more).
  void set_reader(const Prefetchable* reader) { reader_ = reader; }

  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  /// At the caller's present time (a thread synchronises first).
  void notify() {
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_sleepers();
    for (Watcher* watcher = watchers_; watcher != nullptr;) {
      Watcher* next = watcher->next_watcher;  // notified() may remove it
      watcher->notified();
      watcher = next;
    }
  }

  /// Live: the caller is going to sleep in the kernel until notify() moves rung() on from what it
  /// is now. False if the epoch has moved on from `seen`. end_sleep() in either case.
  bool begin_sleep(std::uint64_t seen) const {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    return epoch_.load(std::memory_order_seq_cst) == seen;
  }
  void end_sleep() const { sleepers_.fetch_sub(1, std::memory_order_seq_cst); }
  std::atomic<std::uint32_t>& rung() const { return rung_; }

  void add(Watcher& watcher) const {
    watcher.next_watcher = watchers_;
    watchers_ = &watcher;
  }
  void remove(Watcher& watcher) const {
    for (Watcher** link = &watchers_; *link != nullptr; link = &(*link)->next_watcher) {
      if (*link == &watcher) {
        *link = watcher.next_watcher;
        return;
      }
    }
  }

 private:
  friend struct SignalPrefetch;

  void wake_sleepers();

  std::atomic<std::uint64_t> epoch_{0};
  mutable Watcher* watchers_ = nullptr;
  const Prefetchable* reader_ = nullptr;
  mutable std::atomic<std::uint32_t> sleepers_{0};
  mutable std::atomic<std::uint32_t> rung_{0};
};

}  // namespace corespec
