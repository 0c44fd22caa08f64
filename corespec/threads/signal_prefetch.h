// What a signal's notification and the look that follows it need, prefetched.
#pragma once

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/signal.h"

namespace corespec {

struct SignalPrefetch {
  /// notify() may be near, and the look that follows. As Prefetchable::prefetch(); step 0 may read
  /// the signal.
  static bool notification(const Signal& signal, unsigned step, LineRequests& lines) {
    const Signal::Watcher* const watcher = signal.watchers_;
    if (watcher == nullptr) return false;
    const bool more = look(signal, step, lines);
    if (step != 0) {
      return watcher->prefetch({Upcoming::Kind::notification}, step - 1, lines) || more;
    }
    lines.add(watcher);
    return true;
  }
  /// The same of a look at what has arrived.
  static bool look(const Signal& signal, unsigned step, LineRequests& lines) {
    const Prefetchable* const reader = signal.reader_;
    if (reader == nullptr) return false;
    if (step != 0) return reader->prefetch({Upcoming::Kind::look}, step - 1, lines);
    lines.add(reader);
    return true;
  }
};

}  // namespace corespec
