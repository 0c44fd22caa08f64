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
