// Where E1 messages land: a ring that sender and receiver walk by the same rule.
#pragma once

#include <cstdint>

namespace netmod {

/// Units of 64 bytes, handed out one message after another. A message lies in one piece: where
/// fewer units are left before the end than the largest message needs, the rest is skipped. Both
/// sides follow the rule, so neither has to say where a message lies.
class LandingRing {
 public:
  static constexpr std::uint32_t unit_bytes = 64;
  static constexpr std::uint32_t units_for(std::uint64_t bytes) {
    return static_cast<std::uint32_t>((bytes + unit_bytes - 1) / unit_bytes);
  }

  LandingRing() = default;
  LandingRing(std::uint32_t units, std::uint32_t largest)
      : units_(static_cast<std::uint16_t>(units)), largest_(static_cast<std::uint16_t>(largest)) {}

  std::uint32_t units() const { return units_; }
  /// Byte offset of the next message.
  std::uint64_t next_offset() const { return std::uint64_t{begin()} * unit_bytes; }
  /// Units that a message of `bytes` uses up, with what is skipped before it.
  std::uint32_t cost(std::uint64_t bytes) const {
    return units_for(bytes) + (skips() ? left() : 0);
  }
  void advance(std::uint64_t bytes) {
    next_ = static_cast<std::uint16_t>(begin() + units_for(bytes));
  }

 private:
  std::uint32_t left() const { return std::uint32_t{units_} - next_; }
  bool skips() const { return left() < largest_; }
  std::uint32_t begin() const { return skips() ? 0 : next_; }

  // Rings are a few times as long as the largest eager message, which is 128 KB.
  std::uint16_t units_ = 0;
  std::uint16_t largest_ = 0;
  std::uint16_t next_ = 0;
};

}  // namespace netmod
