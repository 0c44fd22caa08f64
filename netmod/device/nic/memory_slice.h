// A rank's part of the memory its node's ranks share: mailboxes, DMA buffers, interrupt page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corespec/threads/process.h"

namespace netmod {

/// Address space out of node memory, handed out from the front; host memory is committed only
/// when touched. One segment serves all ranks of a node, so ranks cost no mappings of their own.
class MemorySlice {
 public:
  MemorySlice(corespec::Process& process, int ranks_on_node);

  /// `bytes` (rounded up to pages) of zeroed memory; further segments are opened as needed.
  std::byte* take(std::size_t bytes);

 private:
  void open_segment(std::size_t at_least);

  corespec::Process& process_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  int segments_ = 0;
};

}  // namespace netmod
