// Work on what may be damaged, in a child process: a crash there is the child's.
#pragma once

#include <functional>

namespace corespec {

/// Runs `body` in a child of the calling process, which prints nothing, leaves no core file and may
/// compute for `patience_s` seconds (0: for ever). What `body` finds out, it must leave in memory
/// that both processes share. Returns 0 if `body` came to its end, the signal that ended the child,
/// or -1 if no child could be made or its end is not known. An exception in `body` is an end, too.
int run_in_child(int patience_s, const std::function<void()>& body);

}  // namespace corespec
