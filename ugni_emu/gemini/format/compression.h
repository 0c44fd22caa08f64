// What compression leaves out of packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gemini {

/// Phits that the packets of `bytes` (each but the last with `packet_payload` of them) are shorter.
/// Gemini leaves out runs of zero bits and of one bits (S0); its rule is not published, so this one
/// is an estimate: of each word of 8 bytes whose bits are all 0 or all 1 nothing travels, and a
/// packet that has such words carries one phit more, which says which. A packet of zeros is a PUT's
/// request of 11 phits for 32.
std::uint32_t saved_phits(std::span<const std::byte> bytes, std::size_t packet_payload,
                          std::size_t phit_bytes);

}  // namespace gemini
