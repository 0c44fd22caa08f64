// The end of the launcher itself, also where a rank's thread calls: exit() would end the rank.
#pragma once

namespace launch {

/// libc's exit(), _exit() and abort().
[[noreturn]] void exit_launcher(int status);
[[noreturn]] void exit_launcher_early(int status);
[[noreturn]] void abort_launcher();

}  // namespace launch
