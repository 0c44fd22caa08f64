// Memory that ARMCI gives out.
#include "armci/core/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "corespec/threads/node.h"

namespace armci {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t least_chunk = 4 << 20;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 48;  ///< of a block: what can be addressed

std::string name_of(int owner, int number) { return fmt::format("armci {} {}", owner, number); }

}  // namespace

std::byte* view_of(corespec::Process& process, int owner, int number, std::uint64_t bytes) {
  return process.node().memory().segment(name_of(owner, number), bytes);
}

std::byte* find_view(corespec::Process& process, int owner, int number, std::uint64_t bytes) {
  return process.node().memory().find(name_of(owner, number), bytes);
}

std::byte* view_of(corespec::Process& process, const Chunk& chunk) {
  if (chunk.owner == process.rank()) return reinterpret_cast<std::byte*>(chunk.address);
  return view_of(process, chunk.owner, chunk.number, chunk.bytes);
}

Arena::~Arena() {
  for (Part& part : parts_) {
    port_.deregister_memory(part.chunk.handle);
    port_.process().node().memory().remove(name_of(part.chunk.owner, part.chunk.number));
  }
}

Slot Arena::slot_in(const Part& part, void* block, std::uint64_t bytes) {
  return {reinterpret_cast<std::uint64_t>(block), bytes, part.chunk};
}

Slot Arena::allocate(std::uint64_t bytes) {
  for (Part& part : parts_) {
    if (void* block = part.heap->allocate(bytes)) return slot_in(part, block, bytes);
  }
  Part* part = open(bytes);
  return part == nullptr ? Slot{} : slot_in(*part, part->heap->allocate(bytes), bytes);
}

/// Null if the node has not that much memory.
Arena::Part* Arena::open(std::uint64_t bytes) {
  if (bytes > most_bytes) return nullptr;
  corespec::Process& process = port_.process();
  Part part;
  part.chunk.bytes = (std::max(bytes, least_chunk) + page - 1) / page * page;
  part.chunk.number = static_cast<std::int32_t>(parts_.size());
  part.chunk.owner = process.rank();
  std::byte* base = nullptr;
  try {
    base = view_of(process, process.rank(), part.chunk.number, part.chunk.bytes);
  } catch (const std::exception&) {
    process.node().memory().remove(name_of(process.rank(), part.chunk.number));
    return nullptr;
  }
  part.chunk.address = reinterpret_cast<std::uint64_t>(base);
  part.heap = std::make_unique<rma::BlockHeap>(base, part.chunk.bytes);
  const gni_return_t code =
      port_.register_memory(base, part.chunk.bytes, nullptr, part.chunk.handle);
  if (code != GNI_RC_SUCCESS) port_.fail("GNI_MemRegister", code);
  parts_.push_back(std::move(part));
  return &parts_.back();
}

bool Arena::release(const void* block) {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  for (Part& part : parts_) {
    if (address - part.chunk.address >= part.chunk.bytes) continue;
    return part.heap->release(const_cast<void*>(block));
  }
  return false;
}

void RemoteMemory::add(const Slot& slot) {
  if (slot.address != 0) slots_[slot.chunk.owner][slot.address] = slot;
}

const Slot* RemoteMemory::find(int rank, std::uint64_t address, std::uint64_t bytes) const {
  const auto of_rank = slots_.find(rank);
  if (of_rank == slots_.end()) return nullptr;
  const auto behind = of_rank->second.upper_bound(address);
  if (behind == of_rank->second.begin()) return nullptr;
  const Slot& slot = std::prev(behind)->second;
  const std::uint64_t offset = address - slot.address;
  return offset <= slot.bytes && bytes <= slot.bytes - offset ? &slot : nullptr;
}

void RemoteMemory::remove(int rank, std::uint64_t address) {
  const auto of_rank = slots_.find(rank);
  if (of_rank != slots_.end()) of_rank->second.erase(address);
}

}  // namespace armci
