// The two virtual channels of every link, and what a link counts on each.
#pragma once

#include <array>
#include <cstdint>

namespace gemini {

/// Virtual channels: requests travel on 0, responses on 1 (S0).
inline constexpr unsigned kRequests = 0;
inline constexpr unsigned kResponses = 1;

/// Phits and packets that have passed a directed link, per virtual channel.
struct LinkCounters {
  std::array<std::uint64_t, 2> phits{};
  std::array<std::uint64_t, 2> packets{};
  bool operator==(const LinkCounters&) const = default;
};

}  // namespace gemini
