// Chained posts: several transactions with one completion.
#include <bit>

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

// The first of the postings has the events and the descriptor; the others end with their answers.
void Nic::chain(std::span<const Posting> postings) {
  if (postings.size() < 2) return;
  const std::uint32_t head = number_of(postings.front());
  chains_[head] = {static_cast<std::uint32_t>(postings.size()),
                   static_cast<std::uint32_t>(postings.size())};
  const auto departs = postings.front().transaction().flags & transaction_flag::awaits_sent;
  for (const Posting& posting : postings) {
    posting.post->chained = true;
    posting.transaction().flags |= static_cast<std::uint8_t>(departs);
    heads_[number_of(posting)] = head;
  }
}

void Nic::take_back(const Posting& posting) {
  Post& post = *posting.post;
  if (post.events != 0 && post.queue != nullptr) {
    post.queue->unreserve(static_cast<unsigned>(std::popcount(unsigned{post.events})));
  }
  posts_.give_back(number_of(posting));
  wire_->drop(*posting.submission);
}

std::uint32_t Nic::chain_sent(std::uint32_t number) {
  const std::uint32_t head = heads_.at(number);
  return --chains_.at(head).unsent == 0 ? head : PostTable::none;
}

std::uint32_t Nic::chain_answered(std::uint32_t number) {
  const std::uint32_t head = heads_.at(number);
  Post& first = posts_[head];
  const Post& post = posts_[number];
  if (first.status == ugni::ResponseStatus::ok) first.status = post.status;
  first.event_lost = first.event_lost || post.event_lost;
  heads_.erase(number);
  if (number != head) posts_.give_back(number);
  if (--chains_.at(head).unanswered != 0) return PostTable::none;
  chains_.erase(head);
  first.chained = false;
  return head;
}

}  // namespace nic
