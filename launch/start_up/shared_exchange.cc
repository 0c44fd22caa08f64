// Exchange of data among ranks that share memory.
#include "launch/start_up/shared_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace launch {
namespace {

constexpr std::size_t slot_bytes = 4096;
/// That a rank can give: more than PMI lets programs exchange.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
constexpr std::size_t room = slot_bytes - sizeof(std::uint64_t);

/// How much of `size` bytes travels in the part that begins at `at`.
std::size_t part(std::size_t size, std::size_t at) {
  return std::min(room, size - std::min(size, at));
}

}  // namespace

struct SharedExchange::Slot {
  std::uint64_t size;  ///< of all that the rank gives
  std::byte data[room];
};

std::size_t SharedExchange::bytes_for(int ranks) {
  return (2 * sizeof(Slot) + sizeof(std::uint64_t)) * static_cast<std::size_t>(ranks);
}

SharedExchange::SharedExchange(std::byte* memory, int rank, int ranks)
    : slots_(reinterpret_cast<Slot*>(memory)),
      left_(
          reinterpret_cast<std::uint64_t*>(slots_ + std::size_t{2} * static_cast<unsigned>(ranks))),
      rank_(rank),
      ranks_(ranks) {}

void SharedExchange::leave() { __atomic_store_n(&left_[rank_], meetings_ + 1, __ATOMIC_RELEASE); }

int SharedExchange::missing() const {
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::uint64_t since = __atomic_load_n(&left_[rank], __ATOMIC_ACQUIRE);
    if (since != 0 && since <= meetings_) return rank;
  }
  return -1;
}

// Two sets of slots in turn: when one is written again, all have read it, for they have met in the
// other's meeting since.
std::vector<std::vector<std::byte>> SharedExchange::exchange(std::span<const std::byte> in,
                                                             const std::function<void()>& meet) {
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(ranks_));
  std::size_t longest = 0;
  std::size_t at = 0;
  do {
    Slot* const slots = slots_ + (meetings_++ % 2) * all.size();
    Slot& own = slots[rank_];
    own.size = in.size();
    std::copy_n(in.data() + std::min(at, in.size()), part(in.size(), at), own.data);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    meet();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (std::size_t from = 0; from < all.size(); ++from) {
      const Slot& slot = slots[from];
      const std::uint64_t size = __atomic_load_n(&slot.size, __ATOMIC_RELAXED);
      if (size > most_bytes) {
        throw std::runtime_error(
            fmt::format("rank {} gives {} bytes, which cannot be: has another program written to "
                        "the memory that ranks share?",
                        from, size));
      }
      longest = std::max<std::size_t>(longest, size);
      all[from].insert(all[from].end(), slot.data, slot.data + part(size, at));
    }
    at += room;
  } while (at < longest);
  return all;
}

}  // namespace launch
