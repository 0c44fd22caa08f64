// Where a signal has interrupted a rank.
#pragma once

namespace launch {

/// True if a signal with this `context` has interrupted the program's own code (a copy of the
/// program, or of a library that each rank has for itself), called by no library that ranks share.
/// Such code holds none of the locks that the launcher needs: the handler may do what a library
/// call of the program may. A signal handler may ask.
bool interrupted_own_code(const void* context);

/// The name of the function of a shared library that a signal has interrupted, without underscores
/// at its front, or null. For a rank that is blocked in the kernel: not while it may hold the
/// dynamic loader's lock.
const char* interrupted_function(const void* context);

/// True if a signal has interrupted a rank in a system call that waits for something from outside:
/// input, a child. For a rank that is blocked in the kernel.
bool waits_outside(const void* context);

}  // namespace launch
