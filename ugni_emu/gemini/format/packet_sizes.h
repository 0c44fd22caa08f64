// Phits of a segment's packets, one after another.
#pragma once

#include <cstdint>

namespace gemini {

/// Those packets of a request or a response that are still to be taken.
struct PacketSizes {
  std::uint32_t packets = 0;
  std::uint32_t phits = 0;        ///< of all of them
  std::uint32_t full_packet = 0;  ///< phits of each but the last, where nothing is compressed

  /// Takes the next packet; returns its phits. What compression has left is spread evenly: which
  /// packet has lost how much is not kept.
  std::uint32_t take() {
    const std::uint32_t others = packets - 1;
    const bool full = phits > others * std::uint64_t{full_packet};
    const std::uint32_t taken = others == 0 ? phits : (full ? full_packet : phits / packets);
    packets = others;
    phits -= taken;
    return taken;
  }
};

}  // namespace gemini
