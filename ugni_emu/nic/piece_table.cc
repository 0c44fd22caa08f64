// The pieces of messages and of what lands, until each is whole.
#include "ugni_emu/nic/piece_table.h"

#include <cstring>
#include <utility>

namespace nic {

/// Datagrams have no post: they are told apart by their sender's serial.
PieceTable::Key PieceTable::key_of(const ugni::Transaction& transaction) {
  const bool datagram = transaction.kind == ugni::TransactionKind::datagram;
  return {transaction.source,  transaction.source_instance,
          transaction.cookie,  transaction.kind,
          transaction.subkind, datagram ? transaction.immediate[0] : transaction.initiator_key};
}

bool PieceTable::add(ugni::PayloadPool& pool, ugni::SegmentView& segment) {
  const std::uint64_t length = segment.transaction.length;
  const Key key = key_of(segment.transaction);
  Part& part = parts_[key];
  const std::uint32_t number = segment.transaction.number;
  if (part.bytes.size() != length || part.number != number) {
    part = {ugni::Payload(pool, length), number, 0};
  }
  const auto data = std::as_const(segment.payload).bytes();
  if (!data.empty()) {
    std::memcpy(part.bytes.bytes().data() + segment.offset, data.data(), data.size());
  }
  part.arrived += segment.length;
  if (!segment.last) return false;
  const bool whole = part.arrived == length;
  if (whole) {
    segment.payload = std::move(part.bytes);
    segment.offset = 0;
    segment.length = length;
  }
  parts_.erase(key);
  return whole;
}

void PieceTable::drop(const ugni::Transaction& transaction) { parts_.erase(key_of(transaction)); }

}  // namespace nic
