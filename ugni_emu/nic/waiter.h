// Threads asleep in GNI calls: what they wait for, and how they are told that it is gone.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/nic/completion_queue.h"

namespace nic {

class Datagrams;

/// A thread that waits for events in queues or a completion channel, or for a finished datagram.
/// Lives on its stack.
class Waiter : public corespec::InterruptWaiter {
 public:
  /// What it waits for is gone: the handle it was given is not valid any more.
  bool cancelled = false;
  /// `source`: a queue, a completion channel, a domain's datagrams, a subscription to errors.
  virtual bool waits_for(const void* source) const = 0;

 protected:
  ~Waiter() = default;
};

/// Waits until one of several queues has an event, or is masked.
class QueueWaiter final : public Waiter {
 public:
  explicit QueueWaiter(std::span<CompletionQueue* const> queues) : queues_(queues) {}
  bool ready() const override {
    return cancelled || std::any_of(queues_.begin(), queues_.end(), [](const auto* queue) {
             return queue->has_event() || queue->masked();
           });
  }
  bool waits_for(const void* source) const override {
    return std::find(queues_.begin(), queues_.end(), source) != queues_.end();
  }

 private:
  std::span<CompletionQueue* const> queues_;
};

/// The waiting threads of a NIC, in order of registration.
class Waiters {
 public:
  explicit Waiters(corespec::Node& node) : node_(&node) {}

  /// While it lives, `waiter` is one of them. Its thread may be ended while it sleeps, live.
  class Known {
   public:
    Known(Waiters& all, Waiter& waiter) : all_(all.waiters_), waiter_(&waiter) {
      all_.push_back(waiter_);
    }
    ~Known() { std::erase(all_, waiter_); }
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;

   private:
    std::vector<Waiter*>& all_;
    Waiter* waiter_;
  };

  bool any_for(const Datagrams& datagrams) const {
    return std::any_of(waiters_.begin(), waiters_.end(),
                       [&](const Waiter* waiter) { return waiter->waits_for(&datagrams); });
  }

  /// Wakes the threads that wait for `source`; `cancel` = it goes away.
  template <typename Source>
  void wake(const Source& source, bool cancel) {
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      Waiter* waiter = waiters_[i];
      if (!waiter->waits_for(&source)) continue;
      waiter->cancelled = waiter->cancelled || cancel;
      node_->wake_waiter(*waiter);
    }
  }

 private:
  corespec::Node* node_;
  std::vector<Waiter*> waiters_;
};

}  // namespace nic
