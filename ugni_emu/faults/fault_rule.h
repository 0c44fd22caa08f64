// One statement of a fault plan.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "corespec/time/time.h"
#include "ugni_emu/wire/wire.h"

namespace faults {

/// What goes wrong.
enum class FaultKind : std::uint8_t {
  post_fails,       ///< a transaction ends with an error
  post_refused,     ///< the NIC has no room for a post; it says when it has
  message_lost,     ///< a message, or its next try
  datagram_late,    ///< a datagram of the connection set-up
  completion_late,  ///< the response to a transaction
  credits_late,     ///< mailbox credits on their way back
  cq_overrun,       ///< an event finds its queue full
  register_fails,   ///< memory cannot be registered
  nic_stalls,       ///< nothing leaves the NIC for a while
  node_dead,        ///< the node fails, for good
};

/// When it does: of all that could go wrong so at one NIC (its occasions), these do.
struct Trigger {
  std::optional<ugni::NicAddress> node;  ///< only at this NIC
  std::optional<ugni::NicAddress> peer;  ///< only where the other side is this NIC
  std::uint64_t nth = 0;                 ///< from this occasion on, from 1; 0: by `probability`
  double probability = 1;
  std::uint64_t times = std::numeric_limits<std::uint64_t>::max();  ///< at each NIC, at most
  corespec::Time at;                                                ///< not before
  corespec::Time until = corespec::Time::max();                     ///< not from then on
};

constexpr std::uint32_t transaction_bit(ugni::TransactionKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

struct FaultRule {
  FaultKind kind{};
  Trigger trigger;
  std::uint32_t transactions = ~0U;  ///< of these kinds: bits
  bool is_recoverable = true;        ///< post_fails: the error says so
  bool is_done = false;              ///< post_fails: the target has done it all the same
  corespec::Time by;  ///< how late, for how long the NIC stalls or has no room, or how long others
                      ///< wait for a dead node's response
};

/// As in a statement: "post-fails".
const char* name_of(FaultKind kind);

}  // namespace faults
