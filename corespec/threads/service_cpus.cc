// What a program asks of its place, on either clock.
#include "corespec/include/corespec_cpus.h"

#include "corespec/threads/thread.h"

extern "C" int castor_use_service_cpus(void) {
  const corespec::LibraryCall call;
  corespec::Thread* thread = corespec::this_thread_or_null();
  return thread != nullptr && thread->use_service_cpus() ? 1 : 0;
}
