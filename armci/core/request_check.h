// A helper's door: every field of a request is checked here, once.
#pragma once

#include <cstddef>
#include <span>

#include "armci/core/helper_request.h"
#include "armci/core/patch.h"
#include "corespec/threads/process.h"

namespace armci {

/// What is wrong with a request that has come in a buffer of `client`'s, as a clause for people;
/// null: nothing. `rest`: what the buffer holds behind the header. `patch` becomes what it is
/// about, in this process's view of the target's memory (read-modify-write: one word).
const char* fault_in(corespec::Process& helper, const RequestHeader& header, int client,
                     std::span<const std::byte> rest, Patch& patch);

}  // namespace armci
