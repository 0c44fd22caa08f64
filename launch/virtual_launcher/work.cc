// Declared computing, in virtual time: live no launcher answers, and programs really compute.
#include "corespec/include/corespec_work.h"

#include "corespec/threads/thread.h"

extern "C" void castor_work_ns(double ns) {
  constexpr double longest = 8e18 * 1e-3;  // what 64 bits of picoseconds hold
  if (!(ns > 0)) return;
  const corespec::LibraryCall call("corespec_work_ns");
  if (corespec::Thread* const thread = call.thread(); thread != nullptr) {
    thread->compute(corespec::Time::nanoseconds(ns < longest ? ns : longest));
  }
}
