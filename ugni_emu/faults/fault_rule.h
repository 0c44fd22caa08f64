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
  // Of a live process and its end of the wire; see RankFaults.
  transport_again,  ///< a message or a copy finds no room; its next try does
  transport_late,   ///< what is sent to a peer leaves later
  doorbell_lost,    ///< a peer that sleeps is not woken
  copy_refused,     ///< the kernel does not copy between two processes
  transport_fails,  ///< a peer is out of reach, for good
  rank_killed,      ///< the process is killed
};
/// The first kind that only live jobs have.
constexpr FaultKind first_live_kind = FaultKind::transport_again;

/// Where rank_killed kills.
enum class KillPoint : std::uint8_t {
  after_start,     ///< the process knows its rank, and no other one of it
  before_send,     ///< a message is about to be handed to the transport
  after_send,      ///< it has been, and its receiver has not been woken
  after_register,  ///< memory has been registered
  before_copy,     ///< a peer's memory is about to be read or written
  in_copy,         ///< half of it is there; of a network, the copy is under way
  after_copy,      ///< all of it is there, and the peer has not been told; not of a network
  in_barrier,      ///< the rank has come to where all ranks meet
  at_end,          ///< the rank has ended its libraries, and its process is about to leave the job
};

/// When it does: of all that could go wrong so at one NIC (its occasions), these do.
struct Trigger {
  std::optional<ugni::NicAddress> node;  ///< only at this NIC
  std::optional<ugni::NicAddress> peer;  ///< only where the other side is this NIC
  std::optional<int> rank;               ///< only in this rank's process
  std::uint64_t nth = 0;                 ///< from this occasion on, from 1; 0: by `probability`
  double probability = 1;
  std::uint64_t times = std::numeric_limits<std::uint64_t>::max();  ///< at each NIC, at most
  corespec::Time at;                                                ///< not before
  corespec::Time until = corespec::Time::max();                     ///< not from then on
};

constexpr std::uint32_t transaction_bit(ugni::TransactionKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

constexpr std::uint32_t point_bit(KillPoint point) { return 1U << static_cast<unsigned>(point); }

struct FaultRule {
  FaultKind kind{};
  Trigger trigger;
  std::uint32_t transactions = ~0U;  ///< of these kinds, or at these points: bits
  bool is_recoverable = true;        ///< post_fails: the error says so
  bool is_done = false;              ///< post_fails: the target has done it all the same
  corespec::Time by;  ///< how late, for how long the NIC stalls or has no room, or how long others
                      ///< wait for a dead node's response
};

/// As in a statement: "post-fails".
const char* name_of(FaultKind kind);

}  // namespace faults
