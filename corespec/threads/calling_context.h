// Calling contexts: the return addresses of the calls that a thread is in.
#pragma once

#include <cstddef>
#include <span>

namespace corespec {

/// Room for one that reaches from a wait within the libraries to the program.
constexpr std::size_t most_context = 64;

/// The calling thread's, the innermost call first (the place that a signal has interrupted counts
/// as one: it is one byte farther on), as many as `to` has room for; returns how many. They begin
/// in this library, so leave out what is not the program's (launch/symbols). Costs a few
/// microseconds, and allocates nothing after the process's first call; that one takes the dynamic
/// loader's lock.
std::size_t own_context(std::span<void*> to);

/// The same of a stack that does not run: from the function on, whose frame address
/// (__builtin_frame_address(0)) is `frame`, to its outermost caller. Reads that stack and changes
/// nothing there; it may belong to another thread that stands still meanwhile.
std::size_t context_from(const void* frame, std::span<void*> to);

}  // namespace corespec
