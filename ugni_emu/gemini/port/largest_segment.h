// How long a segment may be.
#pragma once

#include <algorithm>
#include <cstdint>

#include "corespec/config/parameters.h"

namespace gemini {

/// Largest segment in bytes: whole packets (or phit counts would depend on where a transfer is
/// cut), no more of them than the outstanding limit allows (or it could never be injected), and at
/// most `most_packets`.
inline std::uint32_t largest_segment(const corespec::Parameters& parameters,
                                     std::int64_t most_packets) {
  const std::int64_t packet = parameters.packet_payload;
  const std::int64_t packets =
      std::min({parameters.segment_bytes / packet, parameters.nic_window, most_packets});
  return static_cast<std::uint32_t>(std::max<std::int64_t>(packets, 1) * packet);
}

}  // namespace gemini
