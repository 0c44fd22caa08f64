// The reduction operations that a rank's program made, by handle.
#pragma once

#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {

struct Operations {
  HandleTable<UserOp> made{HandleKind::operation, 16};
};

}  // namespace netmod
