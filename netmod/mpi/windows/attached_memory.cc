// Memory attached to a dynamic window.
#include "netmod/mpi/windows/attached_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/posting.h"

namespace netmod {
namespace {

constexpr std::size_t first_capacity = 8;

}  // namespace

void AttachedMemory::attach(const void* base, MPI_Aint bytes) {
  const RemoteRegion wanted{address_of(base), static_cast<std::uint64_t>(bytes), {}};
  for (const RemoteRegion& region : regions_) {
    if (bytes == 0) break;
    if (region.bytes != 0 && wanted.address < region.address + region.bytes &&
        region.address < wanted.address + wanted.bytes) {
      fail(MPI_ERR_RMA_ATTACH, "a part of the memory is attached already");
    }
  }
  RemoteRegion& made = regions_.emplace_back(wanted);
  if (bytes > 0) {
    const gni_return_t code =
        rank_.device().one_sided().register_memory(base, made.bytes, nullptr, made.handle);
    if (code != GNI_RC_SUCCESS) {
      regions_.pop_back();
      fail(MPI_ERR_RMA_ATTACH, "the NIC has no room for further memory");
    }
  }
  publish();
}

void AttachedMemory::detach(const void* base) {
  const auto found = std::find_if(
      regions_.begin(), regions_.end(),
      [base](const RemoteRegion& region) { return region.address == address_of(base); });
  if (found == regions_.end()) fail(MPI_ERR_BASE, "no memory is attached at base");
  RemoteRegion gone = *found;
  regions_.erase(found);
  publish();
  if (gone.bytes != 0) rank_.device().one_sided().deregister_memory(gone.handle);
}

void AttachedMemory::publish() {
  rma::RmaPort& port = rank_.device().one_sided();
  if (published_.empty() || published_.back().capacity < regions_.size()) {
    Published& grown = published_.emplace_back();
    grown.capacity = std::max(first_capacity, 2 * regions_.size());
    grown.regions = std::make_unique<RemoteRegion[]>(grown.capacity);
    const gni_return_t code = port.register_memory(
        grown.regions.get(), grown.capacity * sizeof(RemoteRegion), nullptr, grown.handle);
    if (code != GNI_RC_SUCCESS) port.fail("GNI_MemRegister", code);
  }
  const Published& last = published_.back();
  corespec::this_thread().sync();
  const std::atomic_ref<std::uint64_t> generation(table_.generation);
  generation.fetch_add(1);
  std::copy(regions_.begin(), regions_.end(), last.regions.get());
  table_.count = regions_.size();
  table_.address = address_of(last.regions.get());
  table_.handle = last.handle;
  generation.fetch_add(1);
}

void AttachedMemory::close() {
  rma::RmaPort& port = rank_.device().one_sided();
  for (RemoteRegion& region : regions_) {
    if (region.bytes != 0) port.deregister_memory(region.handle);
  }
  for (Published& each : published_) port.deregister_memory(each.handle);
  regions_.clear();
  published_.clear();
}

void refresh_attached(RankState& rank, Target& target) {
  const RemotePlace table{target.job_rank, target.entry.control + offsetof(WindowControl, attached),
                          target.entry.control_handle};
  const auto generation_now = [&] {
    RemotePlace word = table;
    word.address += offsetof(AttachedTable, generation);
    return fetch_word(rank, word);
  };
  std::uint64_t generation = generation_now();
  while (generation != target.generation) {
    if (generation % 2 == 0) {
      AttachedTable described;
      fetch(rank, table, &described, sizeof described);
      target.attached.resize(described.count);
      if (described.generation == generation && described.count != 0) {
        fetch(rank, {target.job_rank, described.address, described.handle}, target.attached.data(),
              static_cast<std::int64_t>(described.count * sizeof(RemoteRegion)));
      }
    }
    const std::uint64_t before = generation;
    generation = generation_now();
    if (generation == before && generation % 2 == 0) target.generation = generation;
  }
}

const RemoteRegion& attached_region(const Target& target, std::uint64_t address) {
  for (const RemoteRegion& region : target.attached) {
    if (address - region.address < region.bytes) return region;
  }
  fail(MPI_ERR_RMA_RANGE,
       fmt::format("address {:#x} of rank {} of the job is not in memory attached to the window",
                   address, target.job_rank));
}

}  // namespace netmod
