// Work in a copy of the process, for a signal handler that may not do it where it is.
#pragma once

#include <cstdint>

namespace launch {

/// Runs `work` in a copy of the process, and returns what it returns (0 to 254), or no_result if it
/// has crashed, has not come to its end in so long, or if the host has no memory for a copy. A
/// signal handler may call it wherever it has interrupted its thread: here only the kernel's calls
/// are made. In the copy there is but the calling thread, and each lock is as it was: if that
/// thread held one that `work` needs, the copy hangs, or crashes, and this process goes on. The
/// copy ends with this process. What `work` finds out it must leave in memory that both share, or
/// write.
inline constexpr int no_result = -1;
int run_in_copy(int (*work)(), std::int64_t longest_ns);

/// Ends the process as a signal does that no program has caught: shells and scripts see that it was
/// one. A signal handler may call it.
[[noreturn]] void end_by_default_of(int number);

/// Not _exit(), which is interposed and would end a rank alone. A signal handler may call it.
[[noreturn]] void end_process_now(int code);

}  // namespace launch
