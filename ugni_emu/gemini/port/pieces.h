// Pieces of transactions that have come to a NIC: the last one waits for all others.
#pragma once

#include <cstdint>

#include "corespec/containers/flat_map.h"
#include "ugni_emu/gemini/packet/packet_segment.h"

namespace gemini {

/// What a NIC keeps of the transactions of which it has some pieces, as requests or as responses.
/// Packets overtake each other, and so pieces do; what a transaction's completion says is true only
/// when all of them are there, so its last piece is held back until then. (Gemini's NICs track a
/// transaction's packets by a sequence number, and complete it when the last one is there.)
class Sequences {
 public:
  /// A piece of a transaction of several. Calls `deliver` for it, for a last piece that has waited
  /// for it, for both or for none.
  template <typename Deliver>
  void accept(PacketSegment& segment, const Deliver& deliver) {
    const std::uint64_t key =
        std::uint64_t{segment.transaction.source} << 32 | segment.transaction.number;
    Sequence* sequence = sequences_.find(key);
    if (sequence == nullptr) sequence = &sequences_.insert(key, {});
    if (segment.last) {
      sequence->last = &segment;
    } else {
      sequence->arrived += segment.length;
    }
    PacketSegment* const last = sequence->last;
    const bool complete =
        last != nullptr && sequence->arrived + last->length == last->transaction.length;
    if (complete) sequences_.erase(key);
    if (!segment.last) deliver(segment);
    if (complete) deliver(*last);
  }

 private:
  struct Sequence {
    std::uint64_t arrived = 0;  ///< bytes, without the last piece
    PacketSegment* last = nullptr;
  };
  corespec::FlatMap<Sequence> sequences_;  ///< by source and number
};

}  // namespace gemini
