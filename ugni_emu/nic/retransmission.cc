// Messages that are lost on their way: sent again, and given up in the end.
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/message_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

// Messages of an endpoint are delivered in the order in which they were sent: while one is being
// sent again its endpoint sends no other. It has its number when it is not lost again.
void Nic::keep_for_retransmission(const Posting& posting) {
  const ugni::Transaction& transaction = posting.transaction();
  if ((transaction.flags & transaction_flag::lost) == 0) return;
  const auto number = static_cast<std::uint32_t>(transaction.initiator_key - 1);
  kept_[number] = {transaction, ugni::Payload(posting.submission->payload.bytes()), 0};
  posting.post->endpoint->retransmits = true;
}

bool Nic::retransmit(std::uint32_t number) {
  const auto found = kept_.find(number);
  Post& post = posts_[number];
  if (found == kept_.end() || post.domain == nullptr || post.endpoint == nullptr) return false;
  Kept& kept = found->second;
  const bool gone = post.shared_queue ? post.domain->message_queue == nullptr
                                      : message_number_of(kept.transaction).connection !=
                                            post.endpoint->connection;
  if (gone) return false;
  if (kept.times == post.domain->max_retransmissions) return false;
  ++kept.times;
  ++post.domain->counters[GNI_STAT_SMSG_RETRANS_COUNT];
  post.status = ugni::ResponseStatus::ok;
  post.answered = 0;
  ugni::Submission& again = wire_->prepare(address());
  again.transaction = kept.transaction;
  if (!draw_lost(kept.transaction.kind, kept.transaction.target)) {
    again.transaction.flags &= static_cast<std::uint8_t>(~transaction_flag::lost);
    if (post.shared_queue) {
      post.domain->message_queue->number(again.transaction, post);
    } else {
      if (!post.is_placed()) post.set_place(next_message(*post.endpoint, post.event_word));
      set_message_number(again.transaction, post.place());
    }
  }
  again.payload = ugni::Payload(kept.payload.bytes());
  again.perform();
  return true;
}

void Nic::end_retransmission(std::uint32_t number) {
  Post& post = posts_[number];
  const bool kept = kept_.erase(number) != 0;
  if (post.endpoint == nullptr) return;
  if (kept) post.endpoint->retransmits = false;
  const bool in_mailbox = !post.shared_queue;
  if (in_mailbox && post.status == ugni::ResponseStatus::lost) leave_place(post);
  post.domain->arrived();
}

/// What was not delivered takes no place in the mailbox, unless it keeps it.
void Nic::leave_place(Post& post) {
  Endpoint& endpoint = *post.endpoint;
  const bool keeps = post.domain->keeps_places;
  const std::uint32_t msg_id = post.event_word;
  if (!keeps) {
    ++endpoint.credits;
    if (!post.is_placed()) return;
  }
  if (!post.is_placed()) {  // lost at every try: none that came later has left meanwhile
    if (endpoint.has_places && find_place(endpoint, msg_id) != nullptr) return;
    post.set_place(endpoint.next_message());
  }
  const MessageNumber place = post.place();
  if (place.connection != endpoint.connection) return;
  places_[place.connection].push_back({place, msg_id});
  endpoint.has_places = true;
}

const Nic::Place* Nic::find_place(const Endpoint& endpoint, std::uint32_t msg_id) const {
  const auto found = places_.find(endpoint.connection);
  if (found == places_.end()) return nullptr;
  for (const Place& place : found->second) {
    if (!endpoint.domain->keeps_places || place.msg_id == msg_id) return &place;
  }
  return nullptr;
}

MessageNumber Nic::take_place(Endpoint& endpoint, std::uint32_t msg_id) {
  const Place* const place = find_place(endpoint, msg_id);
  if (place == nullptr) return endpoint.next_message();
  const MessageNumber number = place->number;
  Places& places = places_.find(endpoint.connection)->second;
  places.erase(places.begin() + (place - places.data()));
  if (places.empty()) forget_places(endpoint);
  return number;
}

void Nic::forget_places(Endpoint& endpoint) {
  if (endpoint.has_places) places_.erase(endpoint.connection);
  endpoint.has_places = false;
}

}  // namespace nic
