// In which blocks of its owner a patch lies.
#pragma once

#include <vector>

#include "armci/core/memory.h"
#include "armci/core/patch.h"

namespace armci {

/// The block of `owner`'s that holds all of the patch, or null.
const Slot* block_of(const RemoteMemory& memory, int owner, const Patch& patch);

/// The block of each run of a list; none if one lies in no block, or if it is no list.
std::vector<const Slot*> blocks_of_runs(const RemoteMemory& memory, int owner, const Patch& patch);

}  // namespace armci
