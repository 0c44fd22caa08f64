// What a rank's next library call needs, prefetched.
#pragma once

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/process.h"

namespace corespec {

/// A thread of the rank is about to go on, in a library call as a rule. As
/// Prefetchable::prefetch(); step 0 reads nothing of the process.
inline bool prefetch_library_call(const Process& process, unsigned step, LineRequests& lines) {
  if (step == 0) {
    lines.add(&process);
    return true;
  }
  if (step > 2) return false;
  for (const Process::Slot slot : {Process::Slot::gni, Process::Slot::mpi}) {
    const ProcessState* const its = process.state(slot);
    if (its == nullptr) continue;
    if (step == 1) {
      lines.add(its);
    } else {
      its->prefetch({Upcoming::Kind::library_call}, 0, lines);
    }
  }
  return step == 1;
}

}  // namespace corespec
