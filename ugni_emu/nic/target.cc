// The NIC as target: what arriving requests do to memory, queues and mailboxes.
#include <cstring>
#include <limits>

#include "ugni_emu/nic/atomic.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/cq_entry_bits.h"
#include "ugni_emu/nic/message_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {
namespace {

using Access = RegionTable::Access;
using ugni::ResponseStatus;
using ugni::Transaction;
using ugni::TransactionKind;

Track track_of(const Transaction& transaction) { return {transaction.source, transaction.mark}; }

// Data go where there is memory for them, and what has no data where there are none.
bool fits(const Region& region, const ugni::SegmentView& segment) {
  return segment.in_place || segment.length == 0 || region.has_data() != segment.payload.empty();
}

}  // namespace

ResponseStatus Nic::push(CompletionQueue& queue, gni_cq_entry_t event, const Track& track) {
  const bool has_room = faults_ == nullptr || !faults_->drops_event(track.source);
  const bool is_there = has_room ? queue.push_remote(event, track) : queue.overrun_by_one();
  return is_there ? ResponseStatus::ok : ResponseStatus::event_lost;
}

// The event that the initiator asked for, in the queue of the region it used.
ResponseStatus Nic::remote_event(const Region& region, const Transaction& transaction) {
  const bool wanted = (transaction.flags & transaction_flag::remote_event) != 0;
  if (!wanted || region.queue == nullptr) return ResponseStatus::ok;
  return push(*region.queue, cq_entry::arrived(transaction.remote_event, transaction.kind),
              track_of(transaction));
}

// A program may make such a handle itself, with the address of another region, or none: what
// counts is where an address lies as seen from the handle's.
ResponseStatus Nic::arrive_by_vmdh(RegionTable& regions, ugni::SegmentView segment) {
  const std::uint64_t name = segment.transaction.remote_handle.qword1;
  const Region* region = regions.find_vmdh(name);
  if (region == nullptr) return ResponseStatus::invalid_handle;
  const std::uint64_t own = memory_handle::name_at(region->address, region->number);
  const std::uint64_t shift = memory_handle::page_address(own) - memory_handle::page_address(name);
  Transaction moved = segment.transaction;
  moved.remote_handle.qword1 = own;
  moved.remote_address += shift;
  if ((moved.flags & transaction_flag::sync_flag) != 0) moved.immediate[1] += shift;
  return arrive(regions, {moved, segment.offset, segment.length, segment.last, segment.payload,
                          segment.status, segment.in_place});
}

ResponseStatus Nic::arrive(RegionTable& regions, ugni::SegmentView segment) {
  const ResponseStatus status = act_on(regions, segment);
  if (segment.last) pieces_.end(segment);
  return status;
}

ResponseStatus Nic::act_on(RegionTable& regions, ugni::SegmentView segment) {
  if ((segment.transaction.flags & transaction_flag::lost) != 0) return ResponseStatus::lost;
  switch (segment.transaction.kind) {
    case TransactionKind::put:
      return put_arrived(regions, segment);
    case TransactionKind::get:
      return get_arrived(regions, segment);
    case TransactionKind::cq_write:
      return cq_write_arrived(regions, segment.transaction);
    case TransactionKind::message:
      return message_arrived(regions, segment);
    case TransactionKind::credit:
      return credit_arrived(regions, segment.transaction);
    case TransactionKind::atomic:
      return atomic_arrived(regions, segment);
    case TransactionKind::collective:
      return collective_arrived(segment.transaction);
    case TransactionKind::datagram:
      break;  // the driver's
  }
  return ResponseStatus::no_such_domain;
}

// Every segment is checked against the whole range, so a transfer that does not fit touches
// nothing. Of a flag alone only the flag's address says anything.
ResponseStatus Nic::put_arrived(RegionTable& regions, ugni::SegmentView segment) {
  const Transaction& transaction = segment.transaction;
  const std::uint64_t handle = transaction.remote_handle.qword1;
  Region* region = nullptr;
  ResponseStatus status = ResponseStatus::ok;
  const bool with_flag = (transaction.flags & transaction_flag::sync_flag) != 0;
  if (!with_flag || transaction.length != 0) {
    status = regions.check(handle, transaction.remote_address, transaction.length, Access::write,
                           region);
  }
  if (status == ResponseStatus::ok && with_flag) {
    status = regions.check(handle, transaction.immediate[1], sizeof(std::uint64_t), Access::write,
                           region);
  }
  if (status != ResponseStatus::ok) return status;
  if ((transaction.flags & transaction_flag::no_source) != 0) return ResponseStatus::ok;
  if (!fits(*region, segment) || (with_flag && !region->has_data())) {
    return ResponseStatus::without_data;
  }
  if (region->keeps_payloads && !with_flag) {
    if (!pieces_.put_together(wire_->payloads(), segment)) return status;
    region->domain->land(transaction.remote_address,
                         message_of(wire_->payloads(), std::move(segment.payload), 0));
  } else if (segment.length != 0 && !segment.in_place) {
    region->write(transaction.remote_address + segment.offset, segment.payload.bytes());
  }
  if (!segment.last) return status;
  if (with_flag) {
    std::memcpy(region->word_at(transaction.immediate[1]), &transaction.immediate[0],
                sizeof(std::uint64_t));
  }
  return remote_event(*region, transaction);
}

ResponseStatus Nic::get_arrived(RegionTable& regions, ugni::SegmentView segment) {
  const Transaction& transaction = segment.transaction;
  Region* region = nullptr;
  const ResponseStatus status =
      regions.check(transaction.remote_handle.qword1, transaction.remote_address,
                    transaction.length, Access::read, region);
  if (status != ResponseStatus::ok) return status;
  if (!segment.in_place && region->has_data()) {
    segment.payload = ugni::Payload(wire_->payloads(), segment.length);
    region->read(transaction.remote_address + segment.offset, segment.payload.bytes());
  }
  return segment.last ? remote_event(*region, transaction) : status;
}

ResponseStatus Nic::cq_write_arrived(RegionTable& regions, const Transaction& transaction) {
  Region* region = regions.find(transaction.remote_handle.qword1);
  if (region == nullptr || region->queue == nullptr) return ResponseStatus::invalid_handle;
  return push(*region->queue, cq_entry::arrived(transaction.immediate[0], transaction.kind),
              track_of(transaction));
}

ResponseStatus Nic::message_arrived(RegionTable& regions, ugni::SegmentView segment) {
  const Transaction& transaction = segment.transaction;
  Region* region = nullptr;
  const ResponseStatus status =
      regions.check(transaction.remote_handle.qword1, transaction.remote_address,
                    transaction.length, Access::write, region);
  if (status != ResponseStatus::ok) return status;
  if (!pieces_.put_together(wire_->payloads(), segment)) return status;
  if ((transaction.flags & transaction_flag::shared_queue) != 0) {
    MessageQueue* const queue = region->domain->message_queue;
    if (queue == nullptr) return ResponseStatus::invalid_handle;
    return queue->message_arrived(region->number, segment);
  }
  // From an earlier connection of the memory, or from a peer that never had it: dropped.
  Mailbox* const mailbox =
      region->domain->mailbox_for(far_end_of(transaction), transaction.remote_address);
  if (mailbox == nullptr) return status;
  const MessageNumber number = message_number_of(transaction);
  const Mailbox::Turn turn = mailbox->turn_of(number);
  if (turn == Mailbox::Turn::never) return status;
  Arrival arrival{message_of(wire_->payloads(), std::move(segment.payload),
                             static_cast<std::uint8_t>(transaction.subkind)),
                  transaction.remote_event, track_of(transaction)};
  if (turn == Mailbox::Turn::later) {
    mailbox->keep(number.number, arrival);
    return status;
  }
  bool told = true;
  for (; arrival.message != nullptr; arrival = mailbox->take_next()) {
    told = deliver_message(*region, *mailbox, arrival) == ResponseStatus::ok && told;
  }
  return told ? status : ResponseStatus::event_lost;
}

ResponseStatus Nic::deliver_message(const Region& region, Mailbox& mailbox,
                                    const Arrival& arrival) {
  mailbox.push(arrival.message);
  if (region.queue != nullptr) {
    return push(*region.queue, cq_entry::arrived(arrival.event, TransactionKind::message),
                arrival.track);
  }
  (mailbox.endpoint != nullptr ? *mailbox.endpoint->domain : *region.domain).arrived();
  return ResponseStatus::ok;
}

ResponseStatus Nic::credit_arrived(RegionTable& regions, const Transaction& transaction) {
  const Region* region = regions.find(transaction.remote_handle.qword1);
  if (region == nullptr) return ResponseStatus::invalid_handle;
  if ((transaction.flags & transaction_flag::shared_queue) != 0) {
    MessageQueue* const queue = region->domain->message_queue;
    if (queue == nullptr) return ResponseStatus::invalid_handle;
    return queue->credit_arrived(region->number, transaction);
  }
  const Mailbox* mailbox = region->domain->find_mailbox(transaction.remote_address);
  if (mailbox == nullptr || mailbox->endpoint == nullptr ||
      mailbox->endpoint->far_end() != far_end_of(transaction) ||
      mailbox->endpoint->connection != message_number_of(transaction).connection) {
    return ResponseStatus::invalid_handle;
  }
  std::uint16_t& credits = mailbox->endpoint->credits;
  constexpr std::uint64_t most = std::numeric_limits<std::uint16_t>::max();
  if (transaction.subkind > most - credits) return ResponseStatus::out_of_bounds;
  credits = static_cast<std::uint16_t>(credits + transaction.subkind);
  mailbox->endpoint->domain->arrived();
  return ResponseStatus::ok;
}

ResponseStatus Nic::atomic_arrived(RegionTable& regions, ugni::SegmentView segment) {
  const Transaction& transaction = segment.transaction;
  const auto command = static_cast<gni_fma_cmd_type_t>(transaction.subkind);
  const std::size_t bytes = word_bytes(command);
  Region* region = nullptr;
  const ResponseStatus status = regions.check(
      transaction.remote_handle.qword1, transaction.remote_address, bytes, Access::write, region);
  if (status != ResponseStatus::ok) return status;
  if (!region->has_data()) return ResponseStatus::without_data;
  std::uint64_t old = 0;
  std::byte* word = region->word_at(transaction.remote_address);
  std::memcpy(&old, word, bytes);
  const std::uint64_t changed = apply_atomic(command, old, transaction.immediate);
  std::memcpy(word, &changed, bytes);
  segment.payload = ugni::Payload(wire_->payloads(), bytes);
  std::memcpy(segment.payload.bytes().data(), &old, bytes);
  return remote_event(*region, transaction);
}

ResponseStatus Nic::collective_arrived(const Transaction& transaction) {
  return engines_ == nullptr ? ResponseStatus::no_such_child : engines_->arrived(transaction);
}

}  // namespace nic
