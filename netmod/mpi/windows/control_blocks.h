// The control blocks of a rank's windows.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "netmod/mpi/windows/window_control.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {

/// Control blocks, registered many at a time: all processes of a node share 4,096 memory
/// descriptors, and a program may have a thousand windows. A registration lasts as long as the
/// port.
class ControlBlocks {
 public:
  struct Block {
    WindowControl* control = nullptr;
    gni_mem_handle_t handle{};
  };

  /// One that is all zero. Throws MPI_ERR_NO_MEM.
  Block take(rma::RmaPort& port);
  /// By the control block of one that was taken; no NIC uses it any more.
  void give_back(WindowControl* control);

 private:
  static constexpr std::size_t blocks_at_a_time = 64;
  struct Chunk {
    std::array<WindowControl, blocks_at_a_time> controls;
    gni_mem_handle_t handle{};
  };

  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Block> free_;
};

}  // namespace netmod
