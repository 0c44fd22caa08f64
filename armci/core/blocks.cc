// Patches looked up in their owner's blocks.
#include "armci/core/blocks.h"

#include <cstdint>

namespace armci {
namespace {

std::uint64_t address_at(const Patch& patch, std::int64_t offset) {
  return reinterpret_cast<std::uint64_t>(patch.base) + static_cast<std::uint64_t>(offset);
}

}  // namespace

const Slot* block_of(const RemoteMemory& memory, int owner, const Patch& patch) {
  const Extent extent = extent_of(patch);
  return memory.find(owner, address_at(patch, extent.begin),
                     static_cast<std::uint64_t>(extent.end - extent.begin));
}

std::vector<const Slot*> blocks_of_runs(const RemoteMemory& memory, int owner, const Patch& patch) {
  std::vector<const Slot*> blocks;
  for (const std::int64_t offset : patch.list) {
    blocks.push_back(memory.find(owner, address_at(patch, offset),
                                 static_cast<std::uint64_t>(patch.run_bytes())));
    if (blocks.back() == nullptr) return {};
  }
  return blocks;
}

}  // namespace armci
