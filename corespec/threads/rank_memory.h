// Whose memory a thread allocates, where many ranks share a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "corespec/threads/thread.h"

namespace corespec {

/// A program's malloc gives its rank's own memory: where that lies is a function of the rank's own
/// calls. What libraries allocate in their calls is the process's, and lies where the order of
/// all ranks' calls has put it. These scopes say otherwise, for the calling thread, but not in a
/// library call within. They change nothing where a rank is a process of its own.
class AllocationScope {
 public:
  AllocationScope(const AllocationScope&) = delete;
  AllocationScope& operator=(const AllocationScope&) = delete;

 protected:
  enum class Kind : std::uint8_t { rank, host };
  explicit AllocationScope(Kind kind) : thread_(this_thread_or_null()) {
    if (thread_ == nullptr) return;
    before_ = std::exchange(thread_->own_memory_depth_,
                            kind == Kind::rank ? thread_->depth_ : Thread::nowhere);
  }
  ~AllocationScope() {
    if (thread_ != nullptr) thread_->own_memory_depth_ = before_;
  }

 private:
  Thread* thread_;
  std::int32_t before_ = 0;
};

/// In a library: for what the rank sends, receives or registers, and for the program's own code
/// that a library calls. Costs depend on which registrations cover which memory.
class RankMemory : AllocationScope {
 public:
  RankMemory() : AllocationScope(Kind::rank) {}
};

/// In what stands before libc: for what all ranks have in common.
class HostMemory : AllocationScope {
 public:
  HostMemory() : AllocationScope(Kind::host) {}
};

/// Uninitialised bytes that a library sends, receives or registers for the calling rank.
template <typename Count>
std::unique_ptr<std::byte[]> rank_bytes(Count bytes) {
  const RankMemory own;
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

/// The same, as `count` initial values.
template <typename T, typename Count>
std::vector<T> rank_vector(Count count) {
  const RankMemory own;
  return std::vector<T>(static_cast<std::size_t>(count));
}

}  // namespace corespec
