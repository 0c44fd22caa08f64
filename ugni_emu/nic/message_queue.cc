// A process's part of its node's shared message queue: messages in and out, credits.
#include "ugni_emu/nic/message_queue.h"

#include <utility>

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/cq_entry_bits.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

using ugni::ResponseStatus;

namespace {

// A message's copy of its sender's handle is for its credits: of the second word the owner matters,
// and the message's number stands below.
constexpr unsigned number_bits = MessageNumber::number_bits + MessageNumber::connection_bits;
static_assert(number_bits <= memory_handle::owner_shift);
constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;

}  // namespace

MessageQueue::MessageQueue(Domain& domain, CompletionQueue& sends, CompletionQueue& arrivals,
                           gni_msgq_rcv_cb_func* callback, void* context)
    : domain_(&domain),
      sends_(&sends),
      arrivals_(&arrivals),
      callback_(callback),
      context_(context),
      table_(domain.nic().node(), domain.id().protection()) {
  sends_->serve(CompletionQueue::Use::local);
  sends_->add_endpoint();
  arrivals_->serve(CompletionQueue::Use::remote);
  domain_->message_queue = this;
}

MessageQueue::~MessageQueue() {
  domain_->message_queue = nullptr;
  sends_->drop_endpoint();
  if (!joined_ || !domain_->has_nic()) return;
  table_.leave(domain_->id().instance);
  domain_->memory().remove(*domain_->memory().find(handle_.qword1));
}

gni_return_t MessageQueue::join(const gni_msgq_attr_t& attributes) {
  const auto address = reinterpret_cast<std::uint64_t>(memory_.data());
  RegionTable::Request request;
  request.address = address;
  request.length = memory_.size();
  request.queue = arrivals_;
  const Region* const region = domain_->memory().add(*domain_, request, handle_);
  if (region == nullptr) return GNI_RC_ERROR_NOMEM;
  const gni_return_t result = table_.join(attributes, {domain_->id().instance, handle_, address});
  joined_ = result == GNI_RC_SUCCESS;
  if (!joined_) domain_->memory().remove(*region);
  return result;
}

int MessageQueue::call_back(Received& message) const {
  std::byte nothing{};
  void* const data = message.data.empty() ? &nothing : message.data.bytes().data();
  return callback_(message.instance, message.from, data, message.tag, context_);
}

// ---- sending

void MessageQueue::address(ugni::Transaction& transaction, const MessageConnection& connection,
                           const gni_msgq_rem_inst_t& to) const {
  transaction.flags |= transaction_flag::shared_queue;
  transaction.remote_event = connection.generation();
  transaction.remote_address = to.mdh_off;
  transaction.remote_handle = {to.mdh.qword1, to.mdh.qword2};
  transaction.immediate = {handle_.qword1, handle_.qword2 & ~number_mask};
}

void MessageQueue::number(ugni::Transaction& transaction, Post& post) {
  MessageNumber number = post.queue_number();
  if (number.connection == 0) {
    Sent& sent = sent_[{transaction.target, transaction.remote_handle.qword1}];
    const std::uint32_t connection = post.queue_connection();
    const std::uint32_t generation = transaction.remote_event;
    if (sent.connection != connection || sent.generation != generation) {
      sent = {connection, generation, {domain_->nic().next_connection(), 0}, {}};
    }
    number.connection = sent.next.connection;
    if (sent.left.empty()) {
      number.number = sent.next.number++;
    } else {
      number.number = sent.left.front();
      sent.left.erase(sent.left.begin());
    }
    post.set_queue_number(number);
  }
  transaction.immediate[1] |= number.word();
}

void MessageQueue::answered(const Post& post) {
  --sending_;
  table_.numbered(post.queue_connection()).end_send(!ugni::is_done(post.status));
  const MessageNumber number = post.queue_number();
  if (post.status != ResponseStatus::lost || number.connection == 0) return;
  for (auto& [to, sent] : sent_) {
    if (sent.next.connection == number.connection) sent.left.push_back(number.number);
  }
}

ResponseStatus MessageQueue::credit_arrived(std::uint16_t region,
                                            const ugni::Transaction& transaction) {
  if (region != memory_handle::number_of(handle_.qword1)) return ResponseStatus::invalid_handle;
  MessageConnection* const connection = table_.find(transaction.source);
  if (connection == nullptr) return ResponseStatus::ok;  // released meanwhile
  const bool fits = connection->give_credits(transaction.remote_event, transaction.subkind);
  domain_->arrived();
  return fits ? ResponseStatus::ok : ResponseStatus::out_of_bounds;
}

// ---- receiving

ResponseStatus MessageQueue::message_arrived(std::uint16_t region, ugni::SegmentView& segment) {
  if (region != memory_handle::number_of(handle_.qword1)) return ResponseStatus::invalid_handle;
  const ugni::Transaction& transaction = segment.transaction;
  Received message{transaction.source,
                   transaction.source_instance,
                   transaction.remote_event,
                   {transaction.immediate[0], transaction.immediate[1]},
                   static_cast<std::uint8_t>(transaction.subkind),
                   transaction.mark,
                   std::move(segment.payload)};
  const MessageNumber which = MessageNumber::of(transaction.immediate[1]);
  Arriving& from = arriving_[{transaction.source, transaction.immediate[0]}];
  if (which.connection != from.next.connection) from = {{which.connection, 0}, {}};
  if (which.number != from.next.number) {
    from.ahead.insert_or_assign(which.number, std::move(message));
    return ResponseStatus::ok;
  }
  deliver(std::move(message));
  while (auto next = from.ahead.extract(++from.next.number)) deliver(std::move(next.mapped()));
  return ResponseStatus::ok;
}

void MessageQueue::deliver(Received message) {
  const std::uint32_t instance = message.instance;
  const Track track{message.from, message.mark};
  received_.push_back(std::move(message));
  // Where this finds no room the message is there all the same.
  arrivals_->push_remote(cq_entry::arrived(instance, ugni::TransactionKind::message), track);
}

MessageQueue::Received MessageQueue::take_message() {
  Received message = std::move(received_.front());
  received_.pop_front();
  return message;
}

bool MessageQueue::return_credits(const Received& message) {
  MessageConnection* const connection = table_.find(message.from);
  const std::uint32_t count =
      connection == nullptr ? 1 : connection->credits_to_return(attributes().smsg_q_sz);
  if (count == 0) return false;
  Endpoint aim(*domain_, nullptr);
  aim.remote_address = message.from;
  aim.remote_instance = message.instance;
  ugni::Submission& submission = domain_->nic().untracked(aim, ugni::TransactionKind::credit);
  ugni::Transaction& transaction = submission.transaction;
  transaction.flags = transaction_flag::shared_queue;
  transaction.subkind = static_cast<std::uint16_t>(count);
  transaction.remote_event = message.generation;
  transaction.remote_handle = message.handle;
  domain_->nic().keep(submission);
  submission.perform();
  return true;
}

}  // namespace nic
