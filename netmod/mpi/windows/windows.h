// The windows of a rank, by handle.
#pragma once

#include <memory>

#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/windows/control_blocks.h"

namespace netmod {

struct Window;

struct Windows {
  HandleTable<std::shared_ptr<Window>> made{HandleKind::window};
  ControlBlocks controls;
};

}  // namespace netmod
