// What an observer is told of a thread.
#pragma once

#include "corespec/events/observer.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// Of `thread`, at `at`; `call`: the library call that begins or ends, null: none.
Occurrence observed(Occurrence::Kind kind, const Thread& thread, Time at,
                    const LibraryCall* call = nullptr);

}  // namespace corespec
