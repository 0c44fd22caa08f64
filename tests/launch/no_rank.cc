// A test program is no rank: what the loader asks the machine for.
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"

namespace corespec {
Thread* this_thread_or_null() { return nullptr; }
Process* this_process_or_null() { return nullptr; }
}  // namespace corespec
