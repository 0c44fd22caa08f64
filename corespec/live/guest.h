// A sleeping thread without a CPU of its own, as the threads see it that wake it.
#pragma once

#include <cstdint>

namespace corespec {

/// On a host without a CPU to spare, a waker of a progress thread that waits itself lends it its
/// CPU: the thread is bound there before it is woken (docs/decisions/0022). Eight bytes, aligned as
/// such, so that processes can hand it to each other in one piece.
struct alignas(std::int64_t) Guest {
  std::int32_t thread = 0;  ///< the system's number; 0: no guest, it is woken where it is
  std::int16_t cpu = -1;    ///< what it is bound to now
  std::int16_t home = -1;   ///< its rank's CPU
};
static_assert(sizeof(Guest) == sizeof(std::int64_t));

}  // namespace corespec
