// Something that moves phits or bytes at a rate, shared by the two virtual channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "corespec/time/time.h"

namespace gemini {

/// Virtual channels: requests travel on 0, responses on 1 (S0).
inline constexpr unsigned kRequests = 0;
inline constexpr unsigned kResponses = 1;

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

/// When the first and the last phit of a segment pass some point.
struct Passage {
  corespec::Time head;
  corespec::Time tail;
};

/// One server with a queue per virtual channel, first come first served within a channel. Where
/// both channels have work they share the capacity packet by packet, so a response does not wait
/// for the megabytes of requests queued before it, only for its turns: processor sharing of two
/// classes. A segment's tail is fixed when it arrives; what the other channel brings later delays
/// the segments behind it, so that the capacity is exact over time.
class Server {
 public:
  /// A segment with `work` arrives as `in`; how it leaves. Service starts at the later of head
  /// arrival and queue free; the server is held for the segment's own work only, and the tail
  /// leaves no earlier than it arrives.
  Passage serve(unsigned channel, corespec::Time work, Passage in) {
    corespec::Time& own = free_[channel];
    corespec::Time& other = free_[channel ^ 1];
    const corespec::Time start = std::max(in.head, own);
    const corespec::Time shared = std::clamp(other - start, corespec::Time(), work);
    other += shared;
    own = start + work + shared;
    return {start, std::max(own, in.tail)};
  }

 private:
  std::array<corespec::Time, 2> free_{};  ///< when each channel's queue will be empty
};

}  // namespace gemini
