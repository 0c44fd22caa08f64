// The libc functions behind our own of the same names, and the calling rank's refusals.
#pragma once

#include <dlfcn.h>

#include <string_view>

#include "launch/libc/rank_program.h"

namespace launch {

/// The next definition of `name` after the launcher's: libc's own. Keep it in a static constant.
template <typename Function>
Function* real_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// If a rank calls: ends its job with one line that says that `function` does not work in virtual
/// time and names the way out. Otherwise returns.
void refuse_on_rank(std::string_view function, std::string_view way_out);

/// Like running_program_or_null(), but ends the job if the caller is another thread of the rank
/// than the one that runs its program: `function` would leave the wrong stack.
RankProgram* ending_program_or_null(std::string_view function);

}  // namespace launch
