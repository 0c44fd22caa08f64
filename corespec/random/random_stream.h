// Numbered streams of random numbers: each consumer of randomness has its own.
#pragma once

#include <cmath>
#include <cstdint>

#include "corespec/time/time.h"

namespace corespec {

/// A stream is fixed by (seed, stream number): drawing from one never shifts another. The
/// generator is SplitMix64 (Steele, Lea, Flood 2014): one addition and a mix per draw.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream)
      : state_(mix(seed ^ mix(stream + 0x9e3779b97f4a7c15ull))) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ull); }
  /// Uniform in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Exponentially distributed around `mean`; at least a picosecond.
  Time exponential(Time mean) {
    const double value = -std::log1p(-uniform()) * static_cast<double>(mean.ps());
    return Time::picoseconds(value < 1 ? 1 : static_cast<std::int64_t>(value));
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
  }
  std::uint64_t state_;
};

}  // namespace corespec
