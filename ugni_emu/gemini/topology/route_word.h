// What is left of a route, in one word.
#pragma once

#include <cstdint>

namespace gemini {

/// Legs of a route, the present one lowest: per leg 5 bits that say which of a router's links, and
/// 7 bits of hops over links of that number. A router reads its link and takes one step without
/// knowing the topology.
class RouteWord {
 public:
  static constexpr unsigned most_legs = 5;
  static constexpr unsigned most_links = 32;  ///< of a router
  static constexpr unsigned most_hops = 127;  ///< of a leg

  /// A leg before all others; `hops` is at least 1.
  constexpr void prepend(unsigned link, unsigned hops) {
    legs_ = legs_ << leg_bits | std::uint64_t{hops} << link_bits | link;
  }

  bool operator==(const RouteWord&) const = default;

  constexpr bool arrived() const { return legs_ == 0; }
  /// Link of the next hop; not to be asked once arrived().
  constexpr unsigned link() const { return static_cast<unsigned>(legs_ & (most_links - 1)); }
  constexpr void step() {
    legs_ -= one_hop;
    if ((legs_ & hops_mask) == 0) legs_ >>= leg_bits;
  }

  /// Legs of at least a hop, over links of routers that have `links`.
  constexpr bool fits(unsigned links) const {
    for (std::uint64_t legs = legs_; legs != 0; legs >>= leg_bits) {
      if ((legs & (most_links - 1)) >= links || (legs & hops_mask) == 0) return false;
    }
    return true;
  }
  /// Hops that are left.
  constexpr unsigned hops() const {
    unsigned sum = 0;
    for (std::uint64_t legs = legs_; legs != 0; legs >>= leg_bits) {
      sum += static_cast<unsigned>((legs & hops_mask) >> link_bits);
    }
    return sum;
  }

 private:
  static constexpr unsigned link_bits = 5;
  static constexpr unsigned leg_bits = 12;
  static constexpr std::uint64_t one_hop = 1U << link_bits;
  static constexpr std::uint64_t hops_mask = std::uint64_t{most_hops} << link_bits;
  static_assert(most_legs * leg_bits <= 64);

  std::uint64_t legs_ = 0;
};

}  // namespace gemini
