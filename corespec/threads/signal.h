// A counter that says "something changed": what polling threads watch.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/events/prefetch_lines.h"

namespace corespec {

/// Notified when something arrives that a polling thread may be waiting for. The poller reads
/// epoch(), polls, and if it found nothing spins until the epoch moves on: a notification between
/// the two is never lost. Virtual time: notify() tells spinning threads, which then compute the
/// poll boundary at which they see it. Live: it wakes the threads that sleep until then, in
/// any process of the node.
class Signal {
 public:
  /// A thread (or a group of them) that spins on the signal.
  class Watcher {
   public:
    virtual void notified() = 0;
    /// Names what notified() and its consequences need, as Event::prefetch() does.
    virtual bool prefetch_notified(unsigned /*step*/, LineRequests&) const { return false; }
    Watcher* next_watcher = nullptr;

   protected:
    ~Watcher() = default;
  };

  /// The owner of the queues at which a notified thread looks.
  class Reader {
   public:
    /// Names what a look at them needs, as Event::prefetch() does.
    virtual bool prefetch_look(unsigned step, LineRequests& lines) const = 0;

   protected:
    ~Reader() = default;
  };
  /// Of this process; null: there is none (any more).
  void set_reader(const Reader* reader) { reader_ = reader; }

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

  /// notify() may be near: names what it needs, and the look that follows, as Event::prefetch()
  /// does; step 0 may read the signal.
  bool prefetch(unsigned step, LineRequests& lines) const {
    if (watchers_ == nullptr) return false;
    const bool look = prefetch_look(step, lines);
    if (step != 0) return watchers_->prefetch_notified(step - 1, lines) || look;
    lines.add(watchers_);
    return true;
  }
  /// The same of a look at what has arrived.
  bool prefetch_look(unsigned step, LineRequests& lines) const {
    if (reader_ == nullptr) return false;
    if (step != 0) return reader_->prefetch_look(step - 1, lines);
    lines.add(reader_);
    return true;
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
  void wake_sleepers();

  std::atomic<std::uint64_t> epoch_{0};
  mutable Watcher* watchers_ = nullptr;
  const Reader* reader_ = nullptr;
  mutable std::atomic<std::uint32_t> sleepers_{0};
  mutable std::atomic<std::uint32_t> rung_{0};
};

}  // namespace corespec
