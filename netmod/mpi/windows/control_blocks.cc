// Control blocks, taken and given back.
#include "netmod/mpi/windows/control_blocks.h"

#include <algorithm>
#include <utility>

#include "netmod/mpi/calls/errors.h"

namespace netmod {

ControlBlocks::Block ControlBlocks::take(rma::RmaPort& port) {
  if (free_.empty()) {
    auto chunk = std::make_unique<Chunk>();
    const gni_return_t code =
        port.register_memory(&chunk->controls, sizeof chunk->controls, nullptr, chunk->handle);
    if (code != GNI_RC_SUCCESS) {
      fail(MPI_ERR_NO_MEM, "the NIC cannot register what the window keeps for other ranks");
    }
    for (auto each = chunk->controls.rbegin(); each != chunk->controls.rend(); ++each) {
      free_.push_back({&*each, chunk->handle});
    }
    chunks_.push_back(std::move(chunk));
  }
  const Block block = free_.back();
  free_.pop_back();
  return block;
}

void ControlBlocks::give_back(WindowControl* control) {
  const auto holds = [control](const std::unique_ptr<Chunk>& chunk) {
    const auto* const first = chunk->controls.data();
    return control >= first && control < first + chunk->controls.size();
  };
  const auto chunk = std::find_if(chunks_.begin(), chunks_.end(), holds);
  *control = {};
  free_.push_back({control, (*chunk)->handle});
}

}  // namespace netmod
