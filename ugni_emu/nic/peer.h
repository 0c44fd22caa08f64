// Who is at the other end: the domain that a datagram comes from, the mailbox of a connection.
#pragma once

#include <compare>
#include <cstdint>

#include "ugni_emu/wire/wire.h"

namespace nic {

/// A peer: NIC address and instance, in this order.
struct Peer {
  ugni::NicAddress address = 0;
  std::uint32_t instance = 0;
  auto operator<=>(const Peer&) const = default;
};

/// The other end of an SMSG connection: a NIC and the mailbox there. The instance that an endpoint
/// was bound to says nothing of it: it need not be the peer's.
struct FarEnd {
  ugni::NicAddress address = 0;
  std::uint16_t region = 0;  ///< the number of the memory that the mailbox is in
  std::uint64_t mailbox = 0;
  bool operator==(const FarEnd&) const = default;
};

/// What messages and credits say of where their sender gets its own: Transaction::immediate.
inline void name_own_end(ugni::Transaction& transaction, std::uint16_t region,
                         std::uint64_t mailbox) {
  transaction.immediate = {mailbox, region};
}
inline FarEnd far_end_of(const ugni::Transaction& transaction) {
  return {transaction.source, static_cast<std::uint16_t>(transaction.immediate[1]),
          transaction.immediate[0]};
}

inline Peer sender_of(const ugni::Transaction& transaction) {
  return {transaction.source, transaction.source_instance};
}

}  // namespace nic
