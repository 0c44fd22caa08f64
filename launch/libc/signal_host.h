// What a rank's signals need of the machine on which it runs.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/threads/thread.h"
#include "corespec/time/time.h"
#include "corespec/virtual/aside.h"

namespace launch {

/// For all ranks of a run.
class SignalHost {
 public:
  /// Has `aside` run on the thread: VirtualThread::call_aside().
  virtual void call_aside(corespec::Thread& thread, corespec::Aside& aside) = 0;
  /// The time of the thread's node. (The thread's own clock may be ahead of it: Thread::sync().)
  virtual corespec::Time now(const corespec::Thread& thread) const = 0;
  /// Fires `event` in the node's domain.
  virtual void schedule(const corespec::Thread& thread, corespec::Time at, corespec::Event& event,
                        std::uint64_t arg) = 0;
  /// Takes back what has been scheduled for it. Called by the thread itself.
  virtual void cancel(const corespec::Thread& thread, const corespec::Event& event) = 0;

 protected:
  ~SignalHost() = default;
};

}  // namespace launch
