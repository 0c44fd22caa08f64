// The two virtual channels of every link, and what is counted on each.
#pragma once

#include <array>
#include <cstdint>

#include "corespec/time/time.h"

namespace gemini {

/// Virtual channels: requests travel on 0, responses on 1 (S0).
inline constexpr unsigned kRequests = 0;
inline constexpr unsigned kResponses = 1;

/// Phits and packets that have arrived, per virtual channel, and for how long packets have been
/// stalled: at a tile, or at those of a link.
struct LinkCounters {
  std::array<std::uint64_t, 2> phits{};
  std::array<std::uint64_t, 2> packets{};
  corespec::Time input_stall{};   ///< at the head of an input buffer, without room to go on
  corespec::Time output_stall{};  ///< ready to leave by the tile, without credits of the far end
  LinkCounters& operator+=(const LinkCounters& other) {
    for (unsigned channel = 0; channel < phits.size(); ++channel) {
      phits[channel] += other.phits[channel];
      packets[channel] += other.packets[channel];
    }
    input_stall += other.input_stall;
    output_stall += other.output_stall;
    return *this;
  }
  bool operator==(const LinkCounters&) const = default;
};

}  // namespace gemini
