// Mailboxes: the order of messages that have overtaken each other.
#include "ugni_emu/nic/mailbox.h"

namespace nic {

struct Mailbox::Ahead {
  Arrival arrival;
  std::uint16_t number;
  Ahead* next;
};

/// A message of another connection than those before: of the next one, or of one that has ended.
bool Mailbox::begin(std::uint32_t connection) {
  if (heard_ != 0 && MessageNumber::is_later(heard_, connection)) return false;
  drop_ahead();
  heard_ = connection % MessageNumber::most_connections;
  next_number_ = 0;
  return true;
}

void Mailbox::keep(std::uint16_t number, const Arrival& arrival) {
  ahead_ = new Ahead{arrival, number, ahead_};
}

Arrival Mailbox::take_ahead() {
  for (Ahead** at = &ahead_; *at != nullptr; at = &(*at)->next) {
    if ((*at)->number != next_number_) continue;
    const std::unique_ptr<Ahead> found(*at);
    *at = found->next;
    return found->arrival;
  }
  return {};
}

void Mailbox::drop_ahead() {
  while (ahead_ != nullptr) {
    const std::unique_ptr<Ahead> first(std::exchange(ahead_, ahead_->next));
    first->arrival.message->give_back();
  }
}

void Mailbox::open(Domain& of, std::uint64_t address, Endpoint& owner, Mailbox* early) {
  domain = &of;
  address_ = address;
  endpoint = &owner;
  current = taken = false;
  heard_ = 0;
  next_number_ = 0;
  if (early == nullptr) return;
  first_ = std::exchange(early->first_, nullptr);
  last_ = early->last_;
  ahead_ = std::exchange(early->ahead_, nullptr);
  heard_ = early->heard_;
  next_number_ = early->next_number_;
}

}  // namespace nic
