// What an observer is told of a thread.
#pragma once

#include "corespec/events/observer.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// Of `thread`, at `at`; `call`: the library call that begins or ends, or that it is in, null:
/// none.
Occurrence observed(Occurrence::Kind kind, const Thread& thread, Time at,
                    const LibraryCall* call = nullptr);

/// A message or a one-sided transfer, as an Occurrence has them.
struct ObservedMessage {
  int peer = -1;
  std::uint64_t key = 0;
  std::uint64_t bytes = 0;
  const char* protocol = nullptr;
  bool of_collective = false;
};
/// The calling thread's message, now.
Occurrence observed_message(Occurrence::Kind kind, const ObservedMessage& message);

/// Tells the observer of `domain`, which is the calling thread's, if there is one.
inline void observe_message(const EventDomain& domain, Occurrence::Kind kind,
                            const ObservedMessage& message) {
  observe(domain, [&] { return observed_message(kind, message); });
}

}  // namespace corespec
