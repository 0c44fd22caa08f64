// What an observer is told of a thread.
#pragma once

#include "corespec/events/observer.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// Of `thread`, at `at`; `call`: the library call that begins or ends, or that it is in, null:
/// none.
Occurrence observed(Occurrence::Kind kind, const Thread& thread, Time at,
                    const LibraryCall* call = nullptr);

/// The calling thread's message or transfer, now: what `domain`, which is its node's, has to tell.
void observe_message(const EventDomain& domain, Occurrence::Kind kind, int peer, std::uint64_t key,
                     std::uint64_t bytes, const char* protocol);

}  // namespace corespec
