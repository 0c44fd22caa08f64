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
      post.domain->message_queue->number(again.transaction,
                                         static_cast<std::uint32_t>(post.local_address));
    } else {
      set_message_number(again.transaction, post.endpoint->next_message());
    }
  }
  again.payload = ugni::Payload(kept.payload.bytes());
  again.perform();
  return true;
}

void Nic::end_retransmission(std::uint32_t number) {
  const Post& post = posts_[number];
  const bool kept = kept_.erase(number) != 0;
  if (post.endpoint == nullptr) return;
  if (kept) post.endpoint->retransmits = false;
  // What was not delivered takes no place in the mailbox.
  const bool in_mailbox = !post.shared_queue;
  if (in_mailbox && post.status == ugni::ResponseStatus::lost) ++post.endpoint->credits;
  post.domain->arrived();
}

}  // namespace nic
