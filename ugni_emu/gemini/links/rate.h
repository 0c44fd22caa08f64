// What a link or a NIC moves in a time, in integer arithmetic.
#pragma once

#include <cstdint>

#include "corespec/time/time.h"

namespace gemini {

/// Time per unit in 1/4096 ps: integer arithmetic only, so that every host computes the same. The
/// largest segment at the slowest permitted rate stays below 2^63.
class Rate {
 public:
  Rate() = default;
  /// `unit_bytes` (a phit's, or 1) at `bytes_per_second`; 0 bytes per second = no such link.
  Rate(std::int64_t unit_bytes, double bytes_per_second)
      : scaled_(
            bytes_per_second == 0
                ? 0
                : static_cast<std::uint64_t>(
                      static_cast<double>(unit_bytes) * 1e12 * kScale / bytes_per_second + 0.5)) {}

  /// Time of `units`, rounded up to whole picoseconds.
  corespec::Time time(std::uint32_t units) const {
    return corespec::Time::picoseconds(
        static_cast<std::int64_t>((units * scaled_ + (kScale - 1)) / kScale));
  }

 private:
  static constexpr std::uint64_t kScale = 4096;
  std::uint64_t scaled_ = 0;
};

}  // namespace gemini
