// Who is at the other end: the domain that a datagram comes from, the mailbox of a connection; and
// which of its messages one is.
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

/// Which of a sender's messages one is. A NIC numbers connections as they are made, from 1, and
/// each one's messages, from 0: a mailbox may be used again while messages of an earlier connection
/// are under way.
struct MessageNumber {
  static constexpr unsigned connection_bits = 24;
  static constexpr std::uint32_t most_connections = 1U << connection_bits;
  std::uint32_t connection = 0;
  std::uint16_t number = 0;

  /// As one word, of number_bits and connection_bits.
  static constexpr unsigned number_bits = 16;
  constexpr std::uint64_t word() const { return number | std::uint64_t{connection} << number_bits; }
  static constexpr MessageNumber of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> number_bits) % most_connections,
            static_cast<std::uint16_t>(word)};
  }

  /// Of two connections of one sender to one mailbox. (Numbers come round.)
  static constexpr bool is_later(std::uint32_t one, std::uint32_t other) {
    return one != other && (one - other) % most_connections < most_connections / 2;
  }
};

/// What messages and credits say of where their sender gets its own, and which they are (credits:
/// of which connection of their receiver's): Transaction::immediate.
inline void name_own_end(ugni::Transaction& transaction, std::uint16_t region,
                         std::uint64_t mailbox) {
  transaction.immediate = {mailbox, region};
}
inline void set_message_number(ugni::Transaction& transaction, const MessageNumber& number) {
  const std::uint64_t region = static_cast<std::uint16_t>(transaction.immediate[1]);
  transaction.immediate[1] = region | number.word() << 16;
}
inline MessageNumber message_number_of(const ugni::Transaction& transaction) {
  return MessageNumber::of(transaction.immediate[1] >> 16);
}
inline FarEnd far_end_of(const ugni::Transaction& transaction) {
  return {transaction.source, static_cast<std::uint16_t>(transaction.immediate[1]),
          transaction.immediate[0]};
}

inline Peer sender_of(const ugni::Transaction& transaction) {
  return {transaction.source, transaction.source_instance};
}

}  // namespace nic
