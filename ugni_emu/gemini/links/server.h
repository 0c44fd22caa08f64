// Something that moves phits or bytes at a rate, shared by the two virtual channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "corespec/time/time.h"

namespace gemini {

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
