// Memory for packed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "corespec/threads/rank_memory.h"

namespace netmod {

using Bytes = std::unique_ptr<std::byte[]>;
/// Uninitialised memory.
inline Bytes make_bytes(std::int64_t bytes) { return corespec::rank_bytes(bytes); }

}  // namespace netmod
