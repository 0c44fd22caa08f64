// What programs ask of their CPU: declared computing, and a place on the service CPUs.
#include "corespec/include/corespec_cpus.h"
#include "corespec/include/corespec_work.h"

#include "corespec/threads/thread.h"

extern "C" void castor_work_ns(double ns) {
  constexpr double longest = 8e18 * 1e-3;  // what 64 bits of picoseconds hold
  if (!(ns > 0)) return;
  const corespec::LibraryCall call;
  corespec::charge(corespec::Time::nanoseconds(ns < longest ? ns : longest));
}

extern "C" int castor_use_service_cpus(void) {
  const corespec::LibraryCall call;
  corespec::Thread* thread = corespec::this_thread_or_null();
  return thread != nullptr && thread->use_service_cpus() ? 1 : 0;
}
