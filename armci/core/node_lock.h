// What the ranks of a node and their helper thread do to memory one at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armci/core/helper_request.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"

namespace armci {

/// Held for accumulates, which are atomic against each other. The thread that holds it does nothing
/// that waits.
class NodeLock {
 public:
  explicit NodeLock(corespec::Node& node)
      : word_(*reinterpret_cast<std::atomic<std::uint32_t>*>(
            node.memory().segment("armci accumulates", sizeof(std::uint32_t)))) {
    while (word_.exchange(1, std::memory_order_acquire) != 0) corespec::this_thread().yield();
  }
  ~NodeLock() { word_.store(0, std::memory_order_release); }
  NodeLock(const NodeLock&) = delete;
  NodeLock& operator=(const NodeLock&) = delete;

 private:
  std::atomic<std::uint32_t>& word_;
};

/// Adds to or replaces a word of 4 or 8 bytes, atomically; gives what was there.
inline std::int64_t update_word(std::byte* at, Update update, bool wide, std::int64_t operand) {
  const auto change = [update]<typename Word>(Word& word, Word value) {
    const std::atomic_ref<Word> atomic(word);
    return update == Update::swap ? atomic.exchange(value) : atomic.fetch_add(value);
  };
  if (wide) return change(*reinterpret_cast<std::int64_t*>(at), operand);
  return change(*reinterpret_cast<std::int32_t*>(at), static_cast<std::int32_t>(operand));
}

}  // namespace armci
