// Memory for packed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace netmod {

using Bytes = std::unique_ptr<std::byte[]>;
/// Uninitialised memory.
inline Bytes make_bytes(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

}  // namespace netmod
