// MPI matching: posted receives and unexpected messages.
#include "netmod/device/messages/matching.h"

#include <utility>

namespace netmod {

RequestImpl* MatchingQueues::match_posted(const Envelope& message) {
  RequestImpl* before = nullptr;
  for (RequestImpl* receive = posted_.front(); receive != nullptr; receive = receive->next) {
    if (matches(receive->envelope, message)) {
      posted_.remove_behind(before, *receive);
      return receive;
    }
    before = receive;
  }
  return nullptr;
}

template <class Wanted>
std::unique_ptr<Unexpected> MatchingQueues::take_unexpected(const Wanted& wanted) {
  Unexpected* before = nullptr;
  for (std::unique_ptr<Unexpected>* link = &first_unexpected_; *link;) {
    if (wanted(**link)) {
      std::unique_ptr<Unexpected> found = std::move(*link);
      *link = std::move(found->next);
      if (last_unexpected_ == found.get()) last_unexpected_ = before;
      return found;
    }
    before = link->get();
    link = &before->next;
  }
  return nullptr;
}

std::unique_ptr<Unexpected> MatchingQueues::match_unexpected(const Envelope& receive) {
  return take_unexpected(
      [&](const Unexpected& message) { return matches(receive, message.header.envelope); });
}

bool MatchingQueues::drop(int peer, const PacketHeader& wanted) {
  const bool eager = wanted.kind == PacketKind::recall;
  const PacketKind kind = eager ? PacketKind::eager : PacketKind::rts;
  const std::uint64_t name = eager ? wanted.receive_request : wanted.send_request;
  return take_unexpected([&](const Unexpected& message) {
           return message.header.kind == kind && message.peer == peer &&
                  message.header.send_request == name;
         }) != nullptr;
}

const Unexpected* MatchingQueues::find_unexpected(const Envelope& receive) const {
  for (const Unexpected* message = first_unexpected_.get(); message != nullptr;
       message = message->next.get()) {
    if (matches(receive, message->header.envelope)) return message;
  }
  return nullptr;
}

void MatchingQueues::drop_unexpected() {
  while (first_unexpected_) first_unexpected_ = std::move(first_unexpected_->next);
  while (first_kept_) first_kept_ = std::move(first_kept_->next);
  last_unexpected_ = nullptr;
}

TakenMessage* MatchingQueues::keep(std::unique_ptr<Unexpected> message) {
  message->next = std::move(first_kept_);
  first_kept_ = std::move(message);
  return first_kept_.get();
}

std::unique_ptr<Unexpected> MatchingQueues::give_back(TakenMessage* message) {
  std::unique_ptr<Unexpected>* link = &first_kept_;
  while (link->get() != message) link = &(*link)->next;
  std::unique_ptr<Unexpected> found = std::move(*link);
  *link = std::move(found->next);
  return found;
}

void MatchingQueues::add_unexpected(std::unique_ptr<Unexpected> message) {
  Unexpected* added = message.get();
  (last_unexpected_ != nullptr ? last_unexpected_->next : first_unexpected_) = std::move(message);
  last_unexpected_ = added;
}

}  // namespace netmod
