// Memory attached to a dynamic window: what its owner publishes, and how origins find it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

/// The owner's side. Origins read the table while it may change: its generation is odd meanwhile,
/// and tables that have become too small stay until the window goes.
class AttachedMemory {
 public:
  AttachedMemory(RankState& rank, AttachedTable& table) : rank_(rank), table_(table) {}

  /// MPI_ERR_RMA_ATTACH: a part of it is attached already, or the NIC has no room.
  void attach(const void* base, MPI_Aint bytes);
  /// MPI_ERR_BASE: nothing was attached at this address.
  void detach(const void* base);
  /// Before the window goes.
  void close();

 private:
  struct Published {
    std::unique_ptr<RemoteRegion[]> regions;
    std::size_t capacity = 0;
    gni_mem_handle_t handle{};
  };
  void publish();

  RankState& rank_;
  AttachedTable& table_;
  std::vector<RemoteRegion> regions_;
  std::vector<Published> published_;  ///< the last one counts
};

/// Brings what this rank knows of a target's attached memory up to date. One round trip if nothing
/// has changed since it asked last.
void refresh_attached(RankState& rank, Target& target);

/// The memory that holds the byte at an address; MPI_ERR_RMA_RANGE if it is not attached.
const RemoteRegion& attached_region(const Target& target, std::uint64_t address);

}  // namespace netmod
