// The two virtual channels of every link, and what is counted on each.
#pragma once

#include <array>
#include <cstdint>

namespace gemini {

/// Virtual channels: requests travel on 0, responses on 1 (S0).
inline constexpr unsigned kRequests = 0;
inline constexpr unsigned kResponses = 1;

/// Phits and packets that have arrived, per virtual channel: at a tile, or over a link.
struct LinkCounters {
  std::array<std::uint64_t, 2> phits{};
  std::array<std::uint64_t, 2> packets{};
  LinkCounters& operator+=(const LinkCounters& other) {
    for (unsigned channel = 0; channel < phits.size(); ++channel) {
      phits[channel] += other.phits[channel];
      packets[channel] += other.packets[channel];
    }
    return *this;
  }
  bool operator==(const LinkCounters&) const = default;
};

}  // namespace gemini
