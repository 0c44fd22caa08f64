// What each rank of a window keeps for the others' NICs.
#pragma once

#include <cstdint>

#include "ugni_emu/include/gni_pub.h"

namespace netmod {

/// A lock that ranks take by AMOs, in the order in which they draw tickets (remote_lock.h).
struct LockWords {
  std::uint64_t next = 0;    ///< ticket
  std::uint64_t served = 0;  ///< low half: whose turn to share; high half: to have it alone
};

/// Where an origin finds what is attached to a dynamic window: a table of RemoteRegion.
struct AttachedTable {
  std::uint64_t generation = 0;  ///< odd while it changes
  std::uint64_t count = 0;
  std::uint64_t address = 0;
  gni_mem_handle_t handle{};
};

/// Registered memory.
struct WindowControl {
  LockWords epochs;       ///< MPI_Win_lock
  LockWords accumulates;  ///< held for those that the NIC cannot do
  AttachedTable attached;
};

}  // namespace netmod
