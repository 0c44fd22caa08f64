// What a thread's next event needs, prefetched.
#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/process_prefetch.h"
#include "corespec/threads/signal_prefetch.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

namespace {

/// A function of its own, so that the steps before it are short.
__attribute__((noinline)) bool prefetch_call_of(const Process* process, unsigned step,
                                                LineRequests& lines) {
  return process != nullptr && prefetch_library_call(*process, step, lines);
}

}  // namespace

/// What it does next is its first effect; what a waiting thread does is to look. A signal that
/// tells it of a change adds the look itself.
bool VirtualThread::prefetch(Upcoming what, unsigned step, LineRequests& lines) const {
  const bool notified = what.kind == Upcoming::Kind::notification;
  if (step == 0) {
    lines.add(static_cast<const Thread*>(this), hot_lines);
    return true;
  }
  if (notified && step >= 2) return prefetch_call_of(process(), step - 1, lines);
  const bool runs = runs_fiber(notified ? boundary : kind_of(what.arg));
  if (step == 1) {
    lines.add(&node());
    lines.add(poll_.signal);
    lines.add(effects_.first());
    if (runs) {
      // One line: what takes long is the page's translation. fire() prefetches the others.
      lines.add(fiber_.resumes_at());
      lines.add(process());  // step 0 of its library call
    }
    return true;
  }
  if (!effects_.empty()) {
    return effects_.first()->prefetch({Upcoming::Kind::effect}, step - 2, lines);
  }
  if (!runs) return false;
  const bool more = prefetch_call_of(process(), step - 1, lines);
  return (poll_.signal != nullptr && SignalPrefetch::look(*poll_.signal, step - 2, lines)) || more;
}

}  // namespace corespec
