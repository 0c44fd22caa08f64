// Where E1 messages land: a ring that sender and receiver walk by the same rule.
#pragma once

#include <cstdint>

namespace netmod {

/// Units of 64 bytes, handed out one message after another. A message lies in one piece: where
/// fewer units are left before the end than the largest message needs, the rest is skipped. Both
/// sides follow the rule, so nobody has to say where a message lies.
class LandingRing {
 public:
  static constexpr std::uint32_t unit_bytes = 64;
  static constexpr std::uint32_t units_for(std::uint64_t bytes) {
    return static_cast<std::uint32_t>((bytes + unit_bytes - 1) / unit_bytes);
  }

  LandingRing() = default;
  LandingRing(std::uint32_t units, std::uint32_t largest) : units_(units), largest_(largest) {}

  std::uint32_t units() const { return units_; }
  /// Byte offset of the next message.
  std::uint64_t next_offset() const { return std::uint64_t{skips() ? 0 : next_} * unit_bytes; }
  /// Units that a message of `bytes` uses up, with what is skipped before it.
  std::uint32_t cost(std::uint64_t bytes) const {
    return units_for(bytes) + (skips() ? units_ - next_ : 0);
  }
  void advance(std::uint64_t bytes) { next_ = (skips() ? 0 : next_) + units_for(bytes); }

 private:
  bool skips() const { return units_ - next_ < largest_; }

  std::uint32_t units_ = 0;
  std::uint32_t largest_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace netmod
