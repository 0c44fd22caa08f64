// Refusing what a rank cannot do.
#include "launch/libc/real.h"

#include <string>

#include "corespec/job/job.h"
#include "corespec/threads/thread.h"

namespace launch {

void refuse_on_rank(std::string_view function, std::string_view way_out) {
  if (running_program_or_null() == nullptr) return;
  corespec::Process& process = *corespec::this_process_or_null();
  process.job().abort(process, 1,
                      std::string(function) +
                          " does not work in virtual time, where all ranks "
                          "share one process; " +
                          std::string(way_out));
}

RankProgram* ending_program_or_null(std::string_view function) {
  RankProgram* program = running_program_or_null();
  const corespec::Thread* thread = corespec::this_thread_or_null();
  if (program == nullptr || thread == nullptr ||
      thread->role() == corespec::ThreadRole::application) {
    return program;
  }
  corespec::Process& process = *corespec::this_process_or_null();
  process.job().abort(process, 134,
                      std::string(function) + " called on a library's thread of the rank");
  __builtin_unreachable();
}

}  // namespace launch
