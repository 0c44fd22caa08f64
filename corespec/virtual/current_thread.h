// The calling thread of this OS thread: the one piece of state that is not passed down.
#pragma once

#include "corespec/threads/thread.h"

namespace corespec {

/// Makes `thread` the calling thread and returns the one before (null = none).
Thread* exchange_current_thread(Thread* thread);

}  // namespace corespec
