// Which registered memory of a host's processes their peers may write and read without asking.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/wire/wire.h"

namespace ugni::fabric {

/// A board in the memory that the host's processes share: each keeps the regions that it has
/// registered. A process that writes into one or reads it notes that it is at work in its slot, so
/// that a region goes only when none is. Whether a transaction is allowed its target says all the
/// same, when its turn has come; the board says what the target would.
class Exposures {
 public:
  /// Those of one process; zero bytes are an empty board.
  struct Board;
  static std::size_t board_bytes();

  explicit Exposures(const corespec::EventDomain& clock) : clock_(clock) {}

  /// `boards`: those of the host's processes, one behind the other; this one's is `own`.
  void meet(std::byte* boards, std::size_t members, std::size_t own);

  /// Shows a region. The slot, or `none` if the board is full (then peers ask first).
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t show(const ExposedRegion& region);
  /// Takes it away; waits for peers at work in it, but not for ones that have died there.
  void remove(std::uint32_t slot);

  /// A region of `member` that a PUT's data may be written into, or a GET's be read from: until
  /// leave().
  struct Entered {
    std::uint32_t slot = 0;
    bool wakes = true;  ///< ExposedRegion::wakes
  };
  std::optional<Entered> enter(std::size_t member, const Transaction& transaction);
  void leave(std::size_t member, const Entered& entered);

  /// False if no thread of `member` sleeps until something comes to where the transaction goes.
  bool wakes(std::size_t member, const Transaction& transaction);

 private:
  struct Known {
    ProtectionName protection;
    std::uint64_t handle = 0;
    std::uint32_t slot = none;
    std::uint32_t opening = 0;  ///< of the slot: still the same region while it has not moved on
    bool wakes = true;
  };
  struct Slot;
  enum class Use : std::uint8_t { look, write, read };

  Board& board(std::size_t member) const;
  Known* find_known(std::size_t member, const Transaction& transaction);
  std::optional<Entered> find(std::size_t member, const Transaction& transaction, Use use);
  static bool is_usable(const Slot& slot, Use use);
  static std::optional<Entered> try_slot(Slot& slot, std::uint32_t number,
                                         const Transaction& transaction, Use use);

  const corespec::EventDomain& clock_;
  std::byte* boards_ = nullptr;
  std::size_t own_ = 0;
  std::vector<std::vector<Known>> known_;  ///< by member: where regions were found last
};

}  // namespace ugni::fabric
