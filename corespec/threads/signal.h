// A counter that says "something changed": what polling threads watch.
#pragma once

#include <atomic>
#include <cstdint>

namespace corespec {

/// Notified when something arrives that a polling thread may be waiting for. The poller reads
/// epoch(), polls, and if it found nothing spins until the epoch moves on: a notification between
/// the two is never lost. Virtual time: notify() tells spinning threads, which then compute the
/// poll boundary at which they see it. Live: pollers poll anyway, the epoch is a hint.
class Signal {
 public:
  /// A thread (or a group of them) that spins on the signal.
  class Watcher {
   public:
    virtual void notified() = 0;
    /// Asks the host for what notified() and its consequences need, a step at a time.
    virtual void prefetch_notified(unsigned) const {}
    Watcher* next_watcher = nullptr;

   protected:
    ~Watcher() = default;
  };

  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  /// At the caller's present time (a thread synchronises first).
  void notify() {
    epoch_.fetch_add(1, std::memory_order_release);
    for (Watcher* watcher = watchers_; watcher != nullptr;) {
      Watcher* next = watcher->next_watcher;  // notified() may remove it
      watcher->notified();
      watcher = next;
    }
  }

  /// notify() may be near: a hint. Step 0 may read the signal, each later one what the step before
  /// asked for.
  void prefetch(unsigned step) const {
    if (watchers_ == nullptr) return;
    if (step == 0) {
      __builtin_prefetch(watchers_);
    } else {
      watchers_->prefetch_notified(step - 1);
    }
  }

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
  std::atomic<std::uint64_t> epoch_{0};
  mutable Watcher* watchers_ = nullptr;
};

}  // namespace corespec
