// Pieces of transactions that have come to a NIC: the last one waits for all others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/channels.h"

namespace gemini {

/// What a NIC keeps of the transactions of which it has some pieces, as requests or as responses.
/// Pieces overtake each other; what a transaction's completion says is true only when all of them
/// are there, so its last piece is held back until then. (Gemini's NICs track a transaction's
/// packets by a sequence number, and complete it when the last one is there.)
template <typename Segment>
class Pieces {
 public:
  /// A piece of a transaction of several. Calls `deliver` for it, for a last piece that has waited
  /// for it, for both or for none. Returns whether the transaction is complete.
  template <typename Deliver>
  bool accept(Segment& segment, corespec::Time now, const Deliver& deliver) {
    const auto found = sequences_.try_emplace(key_of(segment)).first;
    Sequence& sequence = found->second;
    if (segment.last) {
      sequence.last = &segment;
      sequence.waits_since = now;
    } else {
      sequence.arrived += segment.length;
    }
    Segment* const last = sequence.last;
    const bool complete =
        last != nullptr && sequence.arrived + last->length == last->transaction.length;
    if (complete) sequences_.erase(found);
    if (!segment.last) deliver(segment);
    if (complete) deliver(*last);
    return complete;
  }

  /// The last piece of a request waits for others.
  bool holds_a_request() const {
    return std::any_of(sequences_.begin(), sequences_.end(), [](const auto& entry) {
      const Segment* const last = entry.second.last;
      return last != nullptr && last->channel == kRequests;
    });
  }

  /// Takes out the last pieces of requests that have waited since `time` or longer.
  std::vector<Segment*> take_requests_waiting_since(corespec::Time time) {
    std::vector<Segment*> taken;
    for (auto at = sequences_.begin(); at != sequences_.end();) {
      Segment* const last = at->second.last;
      if (last != nullptr && last->channel == kRequests && at->second.waits_since <= time) {
        taken.push_back(last);
        at = sequences_.erase(at);
      } else {
        ++at;
      }
    }
    return taken;
  }

  /// Last pieces that wait for others. A target never hears that its source has given a last piece
  /// up, and keeps the count of those before it.
  std::size_t held() const {
    return static_cast<std::size_t>(
        std::count_if(sequences_.begin(), sequences_.end(),
                      [](const auto& entry) { return entry.second.last != nullptr; }));
  }

 private:
  struct Sequence {
    std::uint64_t arrived = 0;  ///< bytes, without the last piece
    Segment* last = nullptr;
    corespec::Time waits_since;
  };
  /// By source and number: the NIC is the source of those whose responses come.
  static std::uint64_t key_of(const Segment& segment) {
    return std::uint64_t{segment.transaction.source} << 32 | segment.transaction.number;
  }
  std::map<std::uint64_t, Sequence> sequences_;
};

}  // namespace gemini
