// A mailbox: messages that arrived for one endpoint and were not released yet.
#pragma once

#include <cstdint>
#include <utility>

#include "ugni_emu/nic/peer.h"
#include "ugni_emu/wire/payload.h"

namespace nic {

class Domain;
class Endpoint;

/// A message that arrived: the memory of the payload that carried it, tagged, is what the host
/// keeps of a mailbox.
using Message = ugni::PayloadBlock;

/// The tag of a landed transfer that still lacks pieces.
constexpr std::uint8_t incomplete_tag = 1;

/// A message made of `payload`; one of no bytes takes a block too.
inline Message* message_of(ugni::PayloadPool& pool, ugni::Payload payload, std::uint8_t tag) {
  Message* message = payload.empty() ? &pool.take(0) : payload.release();
  message->next = nullptr;
  message->tag = tag;
  return message;
}

/// The receiving half of a connection, found by its address in the domain that registered it. An
/// endpoint has one; where messages arrive before the endpoint called GNI_SmsgInit, an EarlyMailbox
/// comes into being and keeps them until then.
class Mailbox {
 public:
  Mailbox() = default;
  explicit Mailbox(std::uint64_t address) : address_(address) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  std::uint64_t address() const { return address_; }
  Message* front() const { return first_; }

  /// The front with all its bytes one behind the other.
  Message* front_in_a_row() {
    if (!first_->has_tail) return first_;
    ugni::Payload payload(*first_);
    payload.bytes();
    Message* const whole = payload.release();
    if (last_ == first_) last_ = whole;
    return first_ = whole;
  }

  void push(Message* message) {
    (first_ == nullptr ? first_ : last_->next) = message;
    last_ = message;
  }
  Message* pop() {
    Message* message = first_;
    if (message != nullptr) first_ = message->next;
    return message;
  }
  /// Takes out the first message, which was handed out; its place stays taken until it is released.
  Message* take_current() {
    taken = true;
    return pop();
  }
  void release_current() {
    current = false;
    if (!std::exchange(taken, false)) pop()->give_back();
  }
  void drop_messages() {
    while (Message* message = pop()) message->give_back();
    drop_incomplete();
  }
  void drop_incomplete() {
    if (incomplete != nullptr) std::exchange(incomplete, nullptr)->give_back();
  }
  /// Starts at `address` in `of`'s memory for `owner`, with what `early` (may be null) has got for
  /// it.
  void open(Domain& of, std::uint64_t address, Endpoint& owner, Mailbox* early) {
    domain = &of;
    address_ = address;
    endpoint = &owner;
    current = taken = false;
    if (early == nullptr) return;
    first_ = std::exchange(early->first_, nullptr);
    last_ = early->last_;
    incomplete = std::exchange(early->incomplete, nullptr);
  }

 private:
  Message* first_ = nullptr;
  Message* last_ = nullptr;
  std::uint64_t address_ = 0;

 public:
  Message* incomplete = nullptr;  ///< the one whose later segments are still on their way: of the
                                  ///< one sender that messages here come from
  Endpoint* endpoint = nullptr;   ///< its owner, or null
  Domain* domain = nullptr;       ///< while it has one: the one that registered its memory
  bool current = false;           ///< the first message was handed out and not released
  bool taken = false;             ///< and is no longer here
};

/// What one sender's messages find where no endpoint has a mailbox yet.
struct EarlyMailbox final : Mailbox {
  EarlyMailbox(std::uint64_t address, FarEnd sender, EarlyMailbox* others)
      : Mailbox(address), from(sender), next(others) {}
  FarEnd from;
  EarlyMailbox* next;  ///< other senders', at the same address
};

}  // namespace nic
