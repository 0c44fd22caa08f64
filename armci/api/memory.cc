// ARMCI functions: memory.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "armci/api/armci_call.h"
#include "corespec/threads/rank_memory.h"

namespace {

using armci::Call;
using armci::Group;
using armci::Slot;
using armci::State;

/// Collective over the group: every member's block, known to all of it; no block at all, if one
/// member has not the memory, or has called with what cannot be.
int allocate(State& state, const Group& group, void* addresses[], armci_size_t bytes) {
  const int mistake = addresses == nullptr ? armci::bad_base
                      : bytes < 0          ? armci::bad_bytes
                                           : armci::ok;
  Slot own;
  own.chunk.owner = state.rank();
  if (mistake == armci::ok && bytes > 0) {
    own = state.arena().allocate(static_cast<std::uint64_t>(bytes));
  }
  // A block of some bytes that is nowhere: the others see that it has failed.
  own.bytes = mistake == armci::ok ? static_cast<std::uint64_t>(bytes) : UINT64_MAX;
  std::vector<Slot> all = corespec::rank_vector<Slot>(group.world_ranks.size());
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, group.comm);
  const auto lacks = [](const Slot& slot) { return slot.bytes != 0 && slot.address == 0; };
  if (mistake != armci::ok || std::any_of(all.begin(), all.end(), lacks)) {
    if (own.address != 0) state.arena().release(reinterpret_cast<void*>(own.address));
    if (addresses != nullptr) std::fill(addresses, addresses + all.size(), nullptr);
    return mistake != armci::ok ? mistake : armci::refused;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    addresses[i] = reinterpret_cast<void*>(all[i].address);
    state.memory().add(all[i]);
  }
  return armci::ok;
}

int release(State& state, const Group& group, void* own) {
  state.client().fence_all();
  std::vector<void*> all = corespec::rank_vector<void*>(group.world_ranks.size());
  // No rank's transfers are on their way to what goes: each has fenced before it tells its address.
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, group.comm);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != nullptr) {
      state.memory().remove(group.world_ranks[i], reinterpret_cast<std::uint64_t>(all[i]));
    }
  }
  if (own == nullptr) return armci::ok;
  return state.arena().release(own) ? armci::ok : armci::bad_base;
}

/// The caller's group; null: one without the caller, where no member waits for it. Another handle
/// does not say which group the caller means: that ends the job.
const Group* own_group(const Call& call, const char* function, const ARMCI_Group* group) {
  const Group* found = armci::find_group(call.state(), group);
  if (found != nullptr) return found;
  const bool none = group != nullptr && *reinterpret_cast<const MPI_Comm*>(group) == MPI_COMM_NULL;
  if (!none) armci::fail(function, "no such group");
  return nullptr;
}

}  // namespace

extern "C" {

int PARMCI_Malloc(void* ptr_arr[], armci_size_t bytes) {
  const Call call("ARMCI_Malloc");
  return allocate(call.state(), call->groups.at(call->world()), ptr_arr, bytes);
}

int PARMCI_Free(void* ptr) {
  const Call call("ARMCI_Free");
  return release(call.state(), call->groups.at(call->world()), ptr);
}

int PARMCI_Malloc_group(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group) {
  const Call call("ARMCI_Malloc_group");
  const Group* found = own_group(call, "ARMCI_Malloc_group", group);
  return found == nullptr ? armci::bad_base : allocate(call.state(), *found, ptr_arr, bytes);
}

int PARMCI_Free_group(void* ptr, ARMCI_Group* group) {
  const Call call("ARMCI_Free_group");
  const Group* found = own_group(call, "ARMCI_Free_group", group);
  return found == nullptr ? armci::bad_base : release(call.state(), *found, ptr);
}

void* PARMCI_Malloc_local(armci_size_t bytes) {
  const Call call("ARMCI_Malloc_local");
  if (bytes <= 0) return nullptr;
  return reinterpret_cast<void*>(call->arena().allocate(static_cast<std::uint64_t>(bytes)).address);
}

int PARMCI_Free_local(void* ptr) {
  const Call call("ARMCI_Free_local");
  if (ptr == nullptr) return armci::ok;
  return call->arena().release(ptr) ? armci::ok : armci::bad_base;
}

int PARMCI_Malloc_memdev(void* ptr_arr[], armci_size_t bytes, const char*) {
  return PARMCI_Malloc(ptr_arr, bytes);
}
int PARMCI_Malloc_group_memdev(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group,
                               const char*) {
  return PARMCI_Malloc_group(ptr_arr, bytes, group);
}
int PARMCI_Free_memdev(void* ptr) { return PARMCI_Free(ptr); }

// The description carries the block where others cannot ask for it: in idlist.
void PARMCI_Memget(size_t bytes, armci_meminfo_t* info, int) {
  const Call call("ARMCI_Memget");
  if (info == nullptr) armci::fail("ARMCI_Memget", "no place for the description");
  std::memset(info, 0, sizeof *info);
  info->size = bytes;
  info->cpid = call->rank();
  if (bytes == 0) return;
  const Slot slot = call->arena().allocate(bytes);
  if (slot.address == 0) return;
  info->addr = info->armci_addr = reinterpret_cast<char*>(slot.address);
  std::memcpy(info->idlist, &slot, sizeof slot);
}

void* PARMCI_Memat(armci_meminfo_t* info, long offset) {
  const Call call("ARMCI_Memat");
  if (info == nullptr || info->addr == nullptr) return nullptr;
  Slot slot;
  std::memcpy(&slot, info->idlist, sizeof slot);
  call->memory().add(slot);
  return info->addr + offset;
}

void PARMCI_Memdt(armci_meminfo_t* info, long) {
  const Call call("ARMCI_Memdt");
  if (info == nullptr || info->addr == nullptr) return;
  call->memory().remove(info->cpid, reinterpret_cast<std::uint64_t>(info->addr));
}

void PARMCI_Memctl(armci_meminfo_t* info) {
  const Call call("ARMCI_Memctl");
  if (info == nullptr || info->addr == nullptr || info->cpid != call->rank()) return;
  call->memory().remove(info->cpid, reinterpret_cast<std::uint64_t>(info->addr));
  call->arena().release(info->addr);
}

int ARMCI_Uses_shm(void) { return 0; }
int ARMCI_Uses_shm_grp(ARMCI_Group*) { return 0; }
void ARMCI_Set_shm_limit(unsigned long) {}
void ARMCI_Copy(void* src, void* dst, int bytes) {
  if (bytes > 0) std::memmove(dst, src, static_cast<std::size_t>(bytes));
}
void ARMCI_Access_begin(void*) {}
void ARMCI_Access_end(void*) {}

}  // extern "C"

ARMCI_PUBLIC(Malloc);
ARMCI_PUBLIC(Free);
ARMCI_PUBLIC(Malloc_group);
ARMCI_PUBLIC(Free_group);
ARMCI_PUBLIC(Malloc_local);
ARMCI_PUBLIC(Free_local);
ARMCI_PUBLIC(Malloc_memdev);
ARMCI_PUBLIC(Malloc_group_memdev);
ARMCI_PUBLIC(Free_memdev);
ARMCI_PUBLIC(Memget);
ARMCI_PUBLIC(Memat);
ARMCI_PUBLIC(Memdt);
ARMCI_PUBLIC(Memctl);
