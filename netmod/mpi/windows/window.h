// Windows: memory that other ranks reach, what this rank knows of theirs, which epochs are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/windows/window_control.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {

class RankState;
class AttachedMemory;
class Verdict;
struct InfoObject;

inline std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// A range of a rank's memory and its name for peers' NICs.
struct RemoteRegion {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  gni_mem_handle_t handle{};
};

/// What a rank publishes about its part. Plain data.
struct WindowEntry {
  RemoteRegion memory;
  std::uint64_t control = 0;
  gni_mem_handle_t control_handle{};
  std::int64_t unit = 1;  ///< bytes of a displacement; below 0: the class of this rank's error
};

/// How this rank has another's lock.
enum class LockHeld : std::uint8_t {
  none,
  shared,
  exclusive,
  unchecked  ///< MPI_MODE_NOCHECK: nothing has been asked for
};

struct PutOffUpdates;
class UpdateMemory;

/// What a rank knows of one that it has had to do with. Stays where it is.
struct Target {
  WindowEntry entry;
  bool known = false;  ///< the entry
  int job_rank = 0;

  LockHeld lock = LockHeld::none;
  std::uint32_t ticket = 0;  ///< of the lock

  // Transfers under way; those with a record of their own are only counted.
  rma::Completion puts{.tells_bad_memory = true};
  rma::Completion fetches{.tells_bad_memory = true};  ///< whatever writes memory of this rank
  rma::Completion atomics;                            ///< AMOs that fetch nothing
  std::uint32_t recorded = 0;
  bool words_read = false;                 ///< an accumulate that only fetches has begun a GET
  std::shared_ptr<PutOffUpdates> put_off;  ///< see updates.h; null: none
  bool complete() const {
    return puts.complete() && fetches.complete() && atomics.complete() && recorded == 0;
  }
  /// This rank's buffers may be used again.
  bool locally_complete() const {
    return puts.locally_complete() && fetches.complete() && recorded == 0;
  }

  // Of a dynamic window: what was attached, and when.
  std::vector<RemoteRegion> attached;
  std::uint64_t generation = 1;  ///< odd: never asked
};

/// In which epochs a rank is. An access epoch of MPI_Win_fence is open from one call to the next,
/// but counts only if something is done in it.
struct Epochs {
  enum class Access : std::uint8_t { none, fence, start, lock, lock_all };
  Access access = Access::none;
  bool fence_used = false;
  bool all_unchecked = false;         ///< MPI_Win_lock_all with MPI_MODE_NOCHECK
  int locks = 0;                      ///< of MPI_Win_lock that are held
  bool nobody_locked = false;         ///< MPI_Win_lock of MPI_PROC_NULL
  std::map<int, Request*> started;    ///< targets, and their posts (null: it has come)
  bool exposed = false;               ///< MPI_Win_post
  std::vector<Request*> completions;  ///< of the origins
};

struct Window {
  Window();
  ~Window();

  MPI_Win handle = MPI_WIN_NULL;
  int flavor = MPI_WIN_FLAVOR_CREATE;
  int model = MPI_WIN_UNIFIED;
  MPI_Comm comm = MPI_COMM_NULL;  ///< of its own
  const Communicator* members = nullptr;
  void* base = nullptr;
  MPI_Aint size = 0;
  int unit = 1;

  WindowControl* control = nullptr;             ///< one of the rank's ControlBlocks; null: none
  WindowEntry own;                              ///< what this rank publishes
  RemoteRegion directory;                       ///< all ranks' entries, in the memory of rank 0
  std::vector<WindowEntry> entries;             ///< on rank 0: the directory
  std::map<int, Target> targets;                ///< by rank
  rma::Completion unattended;                   ///< AMOs on locks that no call waits for
  std::shared_ptr<UpdateMemory> update_memory;  ///< of accumulates under the lock
  Epochs epochs;

  std::unique_ptr<std::byte[]> allocated;              ///< MPI_Win_allocate
  std::string segment;                                 ///< MPI_Win_allocate_shared: of node memory
  std::vector<std::pair<std::byte*, MPI_Aint>> parts;  ///< of it, by rank: this process's view
  std::vector<int> units;                              ///< and displacement units
  std::unique_ptr<AttachedMemory> attached;            ///< MPI_Win_create_dynamic

  MPI_Errhandler error_handler = MPI_ERRHANDLER_NULL;  ///< as a communicator's
  ObjectExtras extras;
  std::vector<std::pair<std::string, std::string>> info;  ///< hints

  bool dynamic() const { return flavor == MPI_WIN_FLAVOR_DYNAMIC; }
};

/// Collective: windows over the ranks of `comm`. Sizes are bytes; displacements are in units of
/// `unit` bytes. MPI_ERR_SIZE, MPI_ERR_DISP, MPI_ERR_NO_MEM; MPI_ERR_RMA_SHARED: the ranks do not
/// share memory. What is wrong at one rank, or has been with its verdict, fails at all.
struct WindowShape {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Aint size = 0;
  int unit = 1;
};
Window& create_window(RankState& rank, const WindowShape& shape, void* base, Verdict& verdict);
Window& allocate_window(RankState& rank, const WindowShape& shape, Verdict& verdict);
Window& allocate_shared_window(RankState& rank, const WindowShape& shape, Verdict& verdict);
Window& create_dynamic_window(RankState& rank, const WindowShape& shape, Verdict& verdict);
/// MPI_ERR_SIZE if so many bytes at an address are none, or would go round the end of all
/// addresses.
void check_range(const void* base, MPI_Aint bytes);
/// Collective: nothing may be under way.
void free_window(RankState& rank, Window& window);

/// Remembers those of the hints that windows know.
void take_hints(Window& window, const InfoObject& info);

/// The window of a handle; MPI_ERR_WIN.
Window& find_window(RankState& rank, MPI_Win handle);

/// What is known of a rank of the window; asks its directory at the first time.
Target& find_target(RankState& rank, Window& window, int target);

}  // namespace netmod
