// GNI_Smsg*: short messages through mailboxes.
#include <algorithm>
#include <new>
#include <span>

#include "corespec/host/check.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

// A mailbox holds one block of control words and, per credit, a slot for the largest message
// with its header, in whole cache lines.
constexpr std::uint32_t line = 64;
constexpr std::uint32_t message_header = 16;

std::uint64_t slot_bytes(const gni_smsg_attr_t& attributes) {
  return (std::uint64_t{attributes.msg_maxsize} + message_header + line - 1) / line * line;
}

bool valid(const gni_smsg_attr_t& attributes) {
  return (attributes.msg_type == GNI_SMSG_TYPE_MBOX ||
          attributes.msg_type == GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT) &&
         attributes.mbox_maxcredit != 0 && attributes.msg_maxsize != 0 &&
         attributes.msg_maxsize <= GNI_SMSG_MAX_SIZE;
}

std::uint64_t address_of(const gni_smsg_attr_t& attributes) {
  return reinterpret_cast<std::uint64_t>(attributes.msg_buffer) + attributes.mbox_offset;
}

/// Messages in flight: as many as the credits, and as fit into the mailbox's bytes.
std::uint16_t credits_of(const gni_smsg_attr_t& attributes) {
  if (attributes.buff_size < line) return 0;
  const std::uint64_t slots = (attributes.buff_size - line) / slot_bytes(attributes);
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(slots, attributes.mbox_maxcredit));
}

/// Bytes: programs (UCX) send their own header besides msg_maxsize bytes.
std::uint32_t room_in_slot(const nic::Endpoint& endpoint) {
  return endpoint.slot_lines * line - message_header;
}

using Bytes = std::span<const std::byte>;

gni_return_t send(gni_ep_handle_t ep_hndl, const void* header, std::uint32_t header_length,
                  const void* data, std::uint32_t data_length, std::uint32_t msg_id,
                  std::uint8_t tag, ugni::Loan* loan = nullptr,
                  const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || !endpoint->connected() || tag == GNI_SMSG_ANY_TAG ||
      (header == nullptr && header_length != 0) || (data == nullptr && data_length != 0)) {
    return GNI_RC_INVALID_PARAM;
  }
  const std::uint64_t length = std::uint64_t{header_length} + data_length;
  if (length > room_in_slot(*endpoint)) return GNI_RC_ERROR_RESOURCE;
  const corespec::Parameters& parameters = caller.parameters();
  const auto stores = static_cast<std::int64_t>((length + line - 1) / line);
  caller.charge(parameters.fma_post + parameters.fma_store * stores);
  nic::Domain& domain = *endpoint->domain;
  // More may come, no other rank takes any.
  caller.sync_unless(endpoint->credits != 0 && !endpoint->retransmits);
  if (endpoint->retransmits) {
    ++domain.counters[GNI_STAT_SMSG_RETRANS_STALL];
    return GNI_RC_NOT_DONE;
  }
  // What failed before and is sent again has its credit still.
  const bool has_credit = domain.nic().has_credit(*endpoint, msg_id);
  if (endpoint->credits == 0 && !has_credit) {
    ++domain.counters[GNI_STAT_SMSG_MBOX_CREDITS_STALL];
    return GNI_RC_NOT_DONE;
  }
  ugni::Payload payload(domain.nic().wire().payloads(),
                        Bytes(static_cast<const std::byte*>(header), header_length),
                        Bytes(static_cast<const std::byte*>(data), data_length), loan);
  const std::uint8_t events =
      endpoint->queue != nullptr ? GNI_CQMODE_GLOBAL_EVENT : GNI_CQMODE_SILENT;
  const nic::Posting posting = domain.nic().begin(caller.thread(), *endpoint, endpoint->queue,
                                                  ugni::TransactionKind::message, events);
  if (!posting) {
    ++domain.counters[GNI_STAT_SMSG_BUFF_CREDITS_STALL];  // no room for the local event
    return GNI_RC_NOT_DONE;
  }
  posting.post->length = static_cast<std::uint32_t>(length);
  posting.post->event_word = msg_id;
  ugni::Transaction& transaction = posting.transaction();
  transaction.delivery_mode = domain.message_delivery_mode;
  transaction.subkind = tag;
  nic::name_own_end(transaction, endpoint->own_region, endpoint->mailbox.address());
  const bool lost = (transaction.flags & nic::transaction_flag::lost) != 0;
  if (!lost) posting.post->set_place(domain.nic().next_message(*endpoint, msg_id));
  nic::set_message_number(
      transaction, lost ? nic::MessageNumber{endpoint->connection, 0} : posting.post->place());
  transaction.length = length;
  transaction.remote_address = endpoint->remote_mailbox;
  transaction.remote_handle = endpoint->remote_handle;
  posting.submission->payload = std::move(payload);
  domain.nic().track(posting);
  if (endpoint->auto_retransmit) domain.nic().keep_for_retransmission(posting);
  caller.thread().defer(*posting.submission);
  CASTOR_CHECK(endpoint->credits != 0 || has_credit, "a mailbox message without a credit");
  if (!has_credit) --endpoint->credits;
  ++domain.statistics().messages;
  return GNI_RC_SUCCESS;
}

/// `hand_out(mailbox)` gives the caller its first message.
template <typename HandOut>
gni_return_t get_next(gni_ep_handle_t ep_hndl, std::uint8_t* tag, const HandOut& hand_out,
                      const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  if (!endpoint->connected()) return GNI_RC_INVALID_STATE;
  caller.charge(caller.parameters().cq_poll);
  nic::Mailbox& mailbox = endpoint->mailbox;
  caller.sync_unless(mailbox.front() != nullptr);
  nic::Message* message = mailbox.front();
  if (message == nullptr) return GNI_RC_NOT_DONE;
  if (tag != nullptr) {
    if (*tag != GNI_SMSG_ANY_TAG && *tag != message->tag) return GNI_RC_NO_MATCH;
    *tag = message->tag;
  }
  mailbox.current = true;
  hand_out(mailbox);
  return GNI_RC_SUCCESS;
}

gni_return_t get_next(gni_ep_handle_t ep_hndl, void** header, std::uint8_t* tag,
                      const char* function = __builtin_FUNCTION()) {
  if (header == nullptr) return GNI_RC_INVALID_PARAM;
  const auto hand_out = [&](nic::Mailbox& mailbox) {
    *header = mailbox.front_in_a_row()->bytes().data();
  };
  return get_next(ep_hndl, tag, hand_out, function);
}

/// Tells the peer that it may send again.
void return_credits(const gni::Caller& caller, nic::Endpoint& endpoint) {
  caller.charge(caller.parameters().fma_post);
  nic::Domain& domain = *endpoint.domain;
  ugni::Submission& submission = domain.nic().untracked(endpoint, ugni::TransactionKind::credit);
  ugni::Transaction& transaction = submission.transaction;
  transaction.remote_address = endpoint.remote_mailbox;
  transaction.remote_handle = endpoint.remote_handle;
  transaction.subkind = endpoint.released;
  nic::name_own_end(transaction, endpoint.own_region, endpoint.mailbox.address());
  nic::set_message_number(transaction, {endpoint.mailbox.heard(), 0});
  endpoint.released = 0;
  ++domain.statistics().credit_returns;
  domain.nic().track(submission);
  domain.nic().keep(submission);
  caller.thread().defer(submission);
}

}  // namespace

gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t* smsg_attr, unsigned int* size) {
  if (smsg_attr == nullptr || size == nullptr || !valid(*smsg_attr)) return GNI_RC_INVALID_PARAM;
  const std::uint64_t needed = line + slot_bytes(*smsg_attr) * smsg_attr->mbox_maxcredit;
  if (needed > 0xFFFFFFFF) return GNI_RC_INVALID_PARAM;
  *size = static_cast<unsigned>(needed);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SmsgInit(gni_ep_handle_t ep_hndl, gni_smsg_attr_t* local_smsg_attr,
                          gni_smsg_attr_t* remote_smsg_attr) try {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || local_smsg_attr == nullptr || remote_smsg_attr == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  if (!endpoint->bound || endpoint->connected()) return GNI_RC_INVALID_STATE;
  if (!valid(*local_smsg_attr) || !valid(*remote_smsg_attr)) return GNI_RC_INVALID_PARAM;
  const std::uint16_t local_credits = credits_of(*local_smsg_attr);
  const std::uint16_t remote_credits = credits_of(*remote_smsg_attr);
  if (local_credits == 0 || remote_credits == 0) return GNI_RC_INVALID_PARAM;
  nic::Domain& domain = *endpoint->domain;
  nic::Region* region = nullptr;
  const std::uint64_t address = address_of(*local_smsg_attr);
  const std::uint64_t used = line + slot_bytes(*local_smsg_attr) * local_credits;
  const auto find_region = [&] {
    return domain.memory().check_local(domain,
                                       nic::memory_handle::name_of(local_smsg_attr->mem_hndl),
                                       address, used, nic::RegionTable::Access::write, region);
  };
  if (find_region() != ugni::ResponseStatus::ok) return GNI_RC_INVALID_PARAM;
  caller.sync();
  if (find_region() != ugni::ResponseStatus::ok) return GNI_RC_INVALID_PARAM;
  domain.nic().forget_places(*endpoint);
  endpoint->own_region = region->number;
  endpoint->remote_handle = {nic::memory_handle::name_of(remote_smsg_attr->mem_hndl),
                             remote_smsg_attr->mem_hndl.qword2};
  endpoint->remote_mailbox = address_of(*remote_smsg_attr);
  if (!region->domain->open_mailbox(*endpoint, address)) {
    return GNI_RC_INVALID_PARAM;  // another endpoint's
  }
  endpoint->slot_lines = static_cast<std::uint16_t>(slot_bytes(*remote_smsg_attr) / line);
  endpoint->connection = domain.nic().next_connection();
  endpoint->numbered = 0;
  endpoint->credits = remote_credits;
  endpoint->released = 0;
  endpoint->retransmits = false;
  endpoint->auto_retransmit = local_smsg_attr->msg_type == GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
  // Half a mailbox of credits at a time: the sender never starves, and few of them travel.
  endpoint->return_credits_at = std::max<std::uint16_t>(1, local_credits / 2);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_SmsgSend(gni_ep_handle_t ep_hndl, void* header, uint32_t header_length, void* data,
                          uint32_t data_length, uint32_t msg_id) {
  return send(ep_hndl, header, header_length, data, data_length, msg_id, 0);
}

gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep_hndl, void* header, uint32_t header_length,
                              void* data, uint32_t data_length, uint32_t msg_id, uint8_t tag) {
  return send(ep_hndl, header, header_length, data, data_length, msg_id, tag);
}

gni_return_t doors::send_message(gni_ep_handle_t ep_handle, Bytes head, Bytes rest,
                                 std::uint32_t msg_id, ugni::Loan* loan) {
  return send(ep_handle, head.data(), static_cast<std::uint32_t>(head.size()), rest.data(),
              static_cast<std::uint32_t>(rest.size()), msg_id, 0, loan, "GNI_SmsgSendWTag");
}

gni_return_t doors::next_message(gni_ep_handle_t ep_handle, const ugni::PayloadBlock*& message) {
  return get_next(
      ep_handle, nullptr, [&](const nic::Mailbox& mailbox) { message = mailbox.front(); },
      "GNI_SmsgGetNextWTag");
}

ugni::Payload doors::take_message(gni_ep_handle_t ep_handle) {
  nic::Mailbox& mailbox = reinterpret_cast<nic::Endpoint*>(ep_handle)->mailbox;
  if (!mailbox.current || mailbox.taken) return {};
  return ugni::Payload(*mailbox.take_current());
}

gni_return_t GNI_SmsgGetNext(gni_ep_handle_t ep_hndl, void** header) {
  return get_next(ep_hndl, header, nullptr);
}

gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep_hndl, void** header, uint8_t* tag) {
  return tag == nullptr ? GNI_RC_INVALID_PARAM : get_next(ep_hndl, header, tag);
}

gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep_hndl) {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || !endpoint->connected()) return GNI_RC_INVALID_PARAM;
  nic::Mailbox& mailbox = endpoint->mailbox;
  if (!mailbox.current) return GNI_RC_NOT_DONE;
  caller.charge(caller.parameters().smsg_release);
  mailbox.release_current();
  if (++endpoint->released >= endpoint->return_credits_at) return_credits(caller, *endpoint);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic_handle, uint16_t max_retrans) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_handle);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  domain->max_retransmissions = max_retrans;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SmsgSetDeliveryMode(gni_nic_handle_t nic_handle, uint16_t dlvr_mode) {
  constexpr std::uint16_t known_delivery_modes = 0x01FF;
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_handle);
  if (domain == nullptr || (dlvr_mode & ~known_delivery_modes) != 0) return GNI_RC_INVALID_PARAM;
  domain->message_delivery_mode = dlvr_mode;
  return GNI_RC_SUCCESS;
}
