// The pieces of messages and of what lands, until each is whole.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "ugni_emu/wire/payload.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// What a NIC keeps of transactions of which some pieces have come: in any order, among those of
/// others.
class PieceTable {
 public:
  /// Takes in a piece, mostly all of a transaction. True if that is whole now: `segment` then is
  /// all of it. One whose last piece comes without all the others (they were refused) is dropped.
  bool put_together(ugni::PayloadPool& pool, ugni::SegmentView& segment) {
    return segment.length == segment.transaction.length || add(pool, segment);
  }
  /// The last piece has come and gone: what is left of the others can be dropped.
  void end(const ugni::SegmentView& segment) {
    if (segment.length != segment.transaction.length && !parts_.empty()) drop(segment.transaction);
  }
  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }

 private:
  /// Of a transaction, as long as one of its pieces is under way.
  struct Key {
    ugni::NicAddress source;
    std::uint32_t source_instance;  ///< and cookie: live, a node's processes number apart
    std::uint32_t cookie;
    ugni::TransactionKind kind;
    std::uint16_t subkind;
    std::uint64_t number;
    auto operator<=>(const Key&) const = default;
  };
  /// Pieces of one that its source has given up stay until the next one with the same key: that has
  /// another number of the network's.
  struct Part {
    ugni::Payload bytes;
    std::uint32_t number = 0;
    std::uint64_t arrived = 0;
  };

  static Key key_of(const ugni::Transaction& transaction);
  bool add(ugni::PayloadPool& pool, ugni::SegmentView& segment);
  void drop(const ugni::Transaction& transaction);

  std::map<Key, Part> parts_;
};

}  // namespace nic
