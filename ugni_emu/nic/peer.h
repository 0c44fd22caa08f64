// The domain that a transaction comes from or goes to.
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

inline Peer sender_of(const ugni::Transaction& transaction) {
  return {transaction.source, transaction.source_instance};
}

}  // namespace nic
