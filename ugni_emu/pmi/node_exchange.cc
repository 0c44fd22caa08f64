// PMI functions: allgather among a node's ranks, through its memory.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::Caller;

namespace {

constexpr std::size_t piece_bytes = 16384;  ///< what a rank gives in a round, at most
constexpr std::int64_t wrong = -1;          ///< as a length: the rank's call is wrong

/// A rank's place in the node's memory, zeroed at first. Rounds are numbered from 1.
struct alignas(64) Place {
  std::atomic<std::uint64_t> given;  ///< the last round for which the rank has given its piece
  std::atomic<std::uint64_t> taken;  ///< the last round of which it has taken all pieces
  std::int64_t length;               ///< of the call, or `wrong`
  std::byte piece[piece_bytes];
};

/// The node's exchange, as one rank sees it.
class Exchange {
 public:
  explicit Exchange(const Caller& caller)
      : caller_(caller),
        memory_(caller.process().node().memory()),
        ranks_(caller.job().ranks_on(caller.process().node().nid()).size()),
        places_(std::launder(
            reinterpret_cast<Place*>(memory_.segment("pmi exchange", sizeof(Place) * ranks_)))),
        change_(memory_.signal("pmi exchange")),
        round_(caller.state().node_rounds) {}

  std::size_t ranks() const { return ranks_; }

  /// Gives `bytes` bytes for the next round, once all have taken those of the round before.
  void give(std::int64_t length, const std::byte* data, std::size_t bytes) {
    await(&Place::taken, round_);
    ++round_;
    charge_copy(bytes);
    Place& own = places_[caller_.process().local_rank()];
    own.length = length;
    if (bytes > 0) std::memcpy(own.piece, data, bytes);
    publish(own.given);
    await(&Place::given, round_);
  }
  /// Whether the calls of all ranks are right and of one length.
  bool agreed() const {
    return places_[0].length != wrong &&
           std::all_of(places_, places_ + ranks_,
                       [&](const Place& each) { return each.length == places_[0].length; });
  }
  const std::byte* piece(std::size_t local_rank) const { return places_[local_rank].piece; }
  /// Ends the round: the others may write again.
  void end_round(std::size_t bytes_taken) {
    charge_copy(bytes_taken);
    publish(places_[caller_.process().local_rank()].taken);
  }

 private:
  void charge_copy(std::size_t bytes) const {
    corespec::charge(corespec::Time::for_bytes(bytes, caller_.job().parameters().memory_copy));
    corespec::this_thread().sync();
  }
  void publish(std::atomic<std::uint64_t>& state) {
    state.store(round_, std::memory_order_release);
    change_.notify();
  }
  void await(std::atomic<std::uint64_t> Place::*state, std::uint64_t round) const {
    const auto is_there = [&](const Place& each) {
      return (each.*state).load(std::memory_order_acquire) >= round;
    };
    for (;;) {
      const std::uint64_t seen = change_.epoch();
      if (std::all_of(places_, places_ + ranks_, is_there)) return;
      corespec::this_thread().spin(change_, seen, caller_.job().parameters().poll_period);
    }
  }

  const Caller& caller_;
  corespec::NodeMemory& memory_;
  std::size_t ranks_;
  Place* places_;
  corespec::Signal& change_;
  std::uint64_t& round_;
};

}  // namespace

extern "C" {

// The last rank comes first, as in PMI_Allgather.
int PMI_Allgather_on_smp(void* in, void* out, int length) {
  return pmi::call("PMI_Allgather_on_smp", [&](const Caller& caller) {
    const bool right = length >= 0 && (length == 0 || (in != nullptr && out != nullptr));
    const std::size_t bytes = right ? static_cast<std::size_t>(length) : 0;
    Exchange exchange(caller);
    std::size_t at = 0;
    do {
      const std::size_t now = std::min(bytes - at, piece_bytes);
      exchange.give(right ? length : wrong, static_cast<const std::byte*>(in) + at, now);
      const bool agreed = exchange.agreed();
      if (agreed) {
        for (std::size_t i = 0; now > 0 && i < exchange.ranks(); ++i) {
          std::byte* const to = static_cast<std::byte*>(out) + i * bytes + at;
          std::memcpy(to, exchange.piece(exchange.ranks() - 1 - i), now);
        }
      }
      exchange.end_round(agreed ? now * exchange.ranks() : 0);
      if (!agreed) return false;
      at += now;
    } while (at < bytes);
    return true;
  });
}

}  // extern "C"
