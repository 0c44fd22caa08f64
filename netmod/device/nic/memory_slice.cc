// A rank's part of node memory.
#include "netmod/device/nic/memory_slice.h"

#include <fmt/format.h>

#include "corespec/threads/node.h"

namespace netmod {
namespace {
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t first_slice_bytes = std::size_t{16} << 20;
}  // namespace

MemorySlice::MemorySlice(corespec::Process& process, int ranks_on_node) : process_(process) {
  const auto all = first_slice_bytes * static_cast<std::size_t>(ranks_on_node);
  std::byte* base = process.node().memory().segment("mpi.slices", all);
  next_ = base + first_slice_bytes * static_cast<std::size_t>(process.local_rank());
  end_ = next_ + first_slice_bytes;
}

std::byte* MemorySlice::take(std::size_t bytes) {
  bytes = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (static_cast<std::size_t>(end_ - next_) < bytes) open_segment(bytes);
  std::byte* taken = next_;
  next_ += bytes;
  return taken;
}

void MemorySlice::open_segment(std::size_t at_least) {
  const std::size_t bytes = at_least > 4 * first_slice_bytes ? at_least : 4 * first_slice_bytes;
  next_ = process_.node().memory().segment(
      fmt::format("mpi.slice.{}.{}", process_.rank(), ++segments_), bytes);
  end_ = next_ + bytes;
}

}  // namespace netmod
