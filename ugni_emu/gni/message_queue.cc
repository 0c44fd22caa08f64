// GNI_Msgq*: messages through queues that a node's processes share.
#include "ugni_emu/nic/message_queue.h"

#include <cstddef>
#include <new>
#include <span>

#include "corespec/threads/situation.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t no_wait = ~0U;  // GNI_MsgqProgress
constexpr std::uint32_t slot_unit = 64;
constexpr std::uint32_t slot_header = 16;

/// Credits go back by halves.
bool valid(const gni_msgq_attr_t& attributes) {
  constexpr std::uint32_t most_credits = 65534;
  const std::uint32_t credits = attributes.smsg_q_sz;
  return attributes.max_msg_sz != 0 && attributes.max_msg_sz <= GNI_MSGQ_MSG_SZ_MAX &&
         (credits == 1 || (credits != 0 && credits % 2 == 0 && credits <= most_credits)) &&
         attributes.nloc_insts != 0 && attributes.nloc_insts <= GNI_MSGQ_NODE_INSTS_MAX &&
         (attributes.modes & ~GNI_MSGQ_MODE_BLOCKING) == 0;
}

bool blocks(const gni_msgq_attr_t& attributes) {
  return (attributes.modes & GNI_MSGQ_MODE_BLOCKING) != 0;
}

/// For a user's question what the rank does.
class AwaitedMessage final : public corespec::Awaited {
 public:
  explicit AwaitedMessage(corespec::Thread& thread) : Awaited(thread) {}
  bool describe(corespec::Situation& to) const override {
    to.details = ": sleeps until a message comes into its queue";
    return true;
  }
};

/// Takes what the queue's events say: that something has come.
void take_events(nic::MessageQueue& queue) {
  gni_cq_entry_t entry = 0;
  while (queue.arrivals().has_event()) queue.arrivals().pop(entry);
}

/// SUCCESS: there is a message. NOT_DONE: none has come in time. INVALID_PARAM: the queue has gone.
gni_return_t wait_for_message(const gni::Caller& caller, nic::MessageQueue& queue,
                              std::uint32_t milliseconds) {
  caller.charge(caller.parameters().cq_poll);
  caller.sync_unless(queue.has_message());
  if (queue.has_message()) return GNI_RC_SUCCESS;
  if (milliseconds == no_wait || milliseconds == 0) return GNI_RC_NOT_DONE;
  take_events(queue);
  caller.charge(caller.parameters().system_call);
  const corespec::Time deadline = gni::deadline_after(caller.thread(), milliseconds);
  nic::CompletionQueue* const arrivals = &queue.arrivals();
  nic::QueueWaiter waiter({&arrivals, 1});
  const nic::Waiters::Known known(queue.domain().nic().waiters(), waiter);
  const AwaitedMessage for_people(caller.thread());
  while (!waiter.ready()) {
    if (!caller.thread().wait_interrupt(waiter, deadline)) break;
  }
  if (waiter.cancelled) return GNI_RC_INVALID_PARAM;
  return queue.has_message() ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

/// Hands messages out until none comes in time (SUCCESS, as if there was none at all: a program
/// of the interface's authors ends only then), or the callback stops it (NOT_DONE).
gni_return_t hand_out(const gni::Caller& caller, gni_msgq_handle_t handle, std::uint32_t timeout) {
  for (;;) {
    nic::MessageQueue& queue = *caller.find(handle);
    const gni_return_t result = wait_for_message(caller, queue, timeout);
    if (result == GNI_RC_NOT_DONE) return GNI_RC_SUCCESS;
    if (result != GNI_RC_SUCCESS) return result;
    nic::MessageQueue::Received message = queue.take_message();
    take_events(queue);
    caller.charge(caller.parameters().cq_event + caller.parameters().smsg_release);
    caller.sync();
    const bool goes_on = queue.call_back(message) != 0;
    if (caller.find(handle) == nullptr) return GNI_RC_INVALID_PARAM;  // by the callback
    caller.sync();
    if (queue.return_credits(message)) caller.charge(caller.parameters().fma_post);
    if (!goes_on) return GNI_RC_NOT_DONE;
  }
}

}  // namespace

gni_return_t GNI_MsgqInit(gni_nic_handle_t nic_hndl, gni_msgq_rcv_cb_func* rcv_cb, void* cb_data,
                          gni_cq_handle_t snd_cq, gni_msgq_attr_t* attrs,
                          gni_msgq_handle_t* msgq_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  nic::CompletionQueue* sends = caller.find(snd_cq);
  if (domain == nullptr || rcv_cb == nullptr || sends == nullptr || &sends->domain() != domain ||
      !sends->can_serve(nic::CompletionQueue::Use::local) || attrs == nullptr || !valid(*attrs) ||
      msgq_hndl == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().system_call + caller.parameters().register_base);
  caller.sync();
  if (domain->message_queue != nullptr) return GNI_RC_INVALID_STATE;
  nic::MessageQueue* const queue =
      caller.objects().make_message_queue(*domain, *sends, *attrs, rcv_cb, cb_data);
  if (queue == nullptr) return GNI_RC_ERROR_NOMEM;
  const gni_return_t result = queue->join(*attrs);
  if (result != GNI_RC_SUCCESS) {
    caller.objects().destroy_message_queue(*queue);
    return result;
  }
  *msgq_hndl = reinterpret_cast<gni_msgq_handle_t>(queue);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_NOMEM;
}

gni_return_t GNI_MsgqRelease(gni_msgq_handle_t msgq_hndl) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call + caller.parameters().deregister);
  caller.sync();
  if (queue->sending() != 0 || queue->busy) return GNI_RC_NOT_DONE;
  caller.objects().destroy_message_queue(*queue);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_MsgqIdle(gni_msgq_handle_t msgq_hndl) {
  gni::Caller caller;
  const nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  return queue->sending() == 0 && !queue->busy ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

gni_return_t GNI_MsgqGetConnAttrs(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr,
                                  gni_msgq_ep_attr_t* attrs, uint32_t* attrs_size) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr || attrs == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  const gni_return_t result =
      queue->table().reserve(queue->domain().nic().address(), pe_addr, *attrs);
  if (result == GNI_RC_SUCCESS && attrs_size != nullptr) {
    *attrs_size = static_cast<std::uint32_t>(offsetof(gni_msgq_ep_attr_t, insts) +
                                             attrs->num_insts * sizeof(gni_msgq_rem_inst_t));
  }
  return result;
}

gni_return_t GNI_MsgqConnect(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr,
                             gni_msgq_ep_attr_t* attrs) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr || attrs == nullptr || attrs->pe_addr != pe_addr || attrs->max_msg_sz == 0 ||
      attrs->max_msg_sz > GNI_MSGQ_MSG_SZ_MAX || attrs->smsg_q_sz == 0 || attrs->num_insts == 0 ||
      attrs->num_insts > GNI_MSGQ_NODE_INSTS_MAX) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().system_call);
  caller.sync();
  return queue->table().connect(pe_addr, *attrs);
}

gni_return_t GNI_MsgqConnRelease(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  return queue->table().release(pe_addr);
}

gni_return_t GNI_MsgqSend(gni_msgq_handle_t msgq_hndl, gni_ep_handle_t ep_hndl, void* hdr,
                          uint32_t hdr_len, void* msg, uint32_t msg_len, uint32_t msg_id,
                          uint8_t msg_tag) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (queue == nullptr || endpoint == nullptr || endpoint->domain != &queue->domain() ||
      !endpoint->bound || (hdr == nullptr && hdr_len != 0) || (msg == nullptr && msg_len != 0)) {
    return GNI_RC_INVALID_PARAM;
  }
  const std::uint64_t length = std::uint64_t{hdr_len} + msg_len;
  if (length > queue->attributes().max_msg_sz) return GNI_RC_SIZE_ERROR;
  const corespec::Parameters& parameters = caller.parameters();
  const auto stores = static_cast<std::int64_t>((length + slot_unit - 1) / slot_unit);
  caller.charge(parameters.fma_post + parameters.fma_store * stores);
  caller.sync();  // the node's other processes take credits, too
  nic::MessageConnection* const connection = queue->table().find(endpoint->remote_address);
  if (connection == nullptr) return GNI_RC_NO_MATCH;
  if (endpoint->retransmits) return GNI_RC_NOT_DONE;
  const gni_msgq_rem_inst_t* to = nullptr;
  const gni_return_t result = connection->begin_send(endpoint->remote_instance, to);
  if (result != GNI_RC_SUCCESS) return result;
  const auto refuse = [&](gni_return_t code) {
    connection->end_send(true);
    return code;
  };
  if (length > connection->max_message()) return refuse(GNI_RC_SIZE_ERROR);
  nic::Nic& nic = queue->domain().nic();
  ugni::Payload payload(nic.wire().payloads(), Bytes(static_cast<const std::byte*>(hdr), hdr_len),
                        Bytes(static_cast<const std::byte*>(msg), msg_len), nullptr);
  const nic::Posting posting = nic.begin(*endpoint, &queue->sends(), ugni::TransactionKind::message,
                                         GNI_CQMODE_GLOBAL_EVENT);
  if (!posting) return refuse(GNI_RC_NOT_DONE);  // no room for the local event
  posting.post->length = static_cast<std::uint32_t>(length);
  posting.post->event_word = msg_id;
  posting.post->shared_queue = true;
  posting.post->set_queue_connection(queue->table().number_of(*connection));
  ugni::Transaction& transaction = posting.transaction();
  queue->address(transaction, *connection, *to);
  transaction.delivery_mode = queue->domain().message_delivery_mode;
  transaction.subkind = msg_tag;
  transaction.length = length;
  if ((transaction.flags & nic::transaction_flag::lost) == 0) {
    queue->number(transaction, *posting.post);
  }
  posting.submission->payload = std::move(payload);
  nic.track(posting);
  nic.keep_for_retransmission(posting);
  queue->sent();
  ++queue->domain().statistics().messages;
  caller.thread().defer(*posting.submission);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_MsgqProgress(gni_msgq_handle_t msgq_hndl, uint32_t timeout) {
  gni::Caller caller;
  nic::MessageQueue* queue = caller.find(msgq_hndl);
  if (queue == nullptr || (timeout != no_wait && !blocks(queue->attributes()))) {
    return GNI_RC_INVALID_PARAM;
  }
  if (queue->busy) return GNI_RC_INVALID_STATE;
  queue->busy = true;
  const gni_return_t result = hand_out(caller, msgq_hndl, timeout);
  if (nic::MessageQueue* const still = caller.find(msgq_hndl)) still->busy = false;
  return result;
}

gni_return_t GNI_MsgqSize(gni_msgq_attr_t* attrs, uint32_t* size) {
  if (attrs == nullptr || size == nullptr || !valid(*attrs)) return GNI_RC_INVALID_PARAM;
  constexpr std::uint64_t huge_page = 2 << 20;
  const std::uint64_t slot =
      (attrs->max_msg_sz + slot_header + slot_unit - 1) / slot_unit * slot_unit;
  const std::uint64_t mailbox = slot_unit + slot * attrs->smsg_q_sz;
  const std::uint64_t needed = slot_unit + mailbox * attrs->num_msgq_eps +
                               slot * attrs->rcv_pool_sz +
                               sizeof(gni_msgq_rem_inst_t) * attrs->nloc_insts;
  const std::uint64_t whole = (needed + huge_page - 1) / huge_page * huge_page;
  if (whole > ~std::uint32_t{0}) return GNI_RC_INVALID_PARAM;
  *size = static_cast<std::uint32_t>(whole);
  return GNI_RC_SUCCESS;
}
