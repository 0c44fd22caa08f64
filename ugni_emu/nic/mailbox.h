// A mailbox: messages that arrived for one endpoint and were not released yet.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "ugni_emu/nic/peer.h"
#include "ugni_emu/nic/tracked_events.h"
#include "ugni_emu/wire/payload.h"

namespace nic {

class Domain;
class Endpoint;

/// A message that arrived: the memory of the payload that carried it, tagged, is what the host
/// keeps of a mailbox.
using Message = ugni::PayloadBlock;

/// A message made of `payload`; one of no bytes takes a block too.
inline Message* message_of(ugni::PayloadPool& pool, ugni::Payload payload, std::uint8_t tag) {
  Message* message = payload.empty() ? &pool.take(0) : payload.release();
  message->next = nullptr;
  message->tag = tag;
  return message;
}

/// A message, and the event that tells of it.
struct Arrival {
  Message* message = nullptr;
  std::uint32_t event = 0;
  Track track;
};

/// The receiving half of a connection, found by its address in the domain that registered it. An
/// endpoint has one; where messages arrive before the endpoint called GNI_SmsgInit, an EarlyMailbox
/// comes into being and keeps them until then.
///
/// The driver's mailboxes have a slot for each message, and their reader looks at the next slot
/// only. Here messages are numbered, and those that come before their turn are kept apart.
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

  /// When a message's turn is. `never`: its connection was followed by another one already.
  enum class Turn : std::uint8_t { now, later, never };
  Turn turn_of(const MessageNumber& of) {
    if (of.connection != heard_) [[unlikely]] {
      if (!begin(of.connection)) return Turn::never;
    }
    return of.number == next_number_ ? Turn::now : Turn::later;
  }
  /// The message whose turn is now.
  void push(Message* message) {
    ++next_number_;
    (first_ == nullptr ? first_ : last_->next) = message;
    last_ = message;
  }
  /// One whose turn is later.
  void keep(std::uint16_t number, const Arrival& arrival);
  /// Takes out of what was kept what is to be pushed now; without a message: nothing is.
  Arrival take_next() { return ahead_ == nullptr ? Arrival() : take_ahead(); }
  /// Which of its sender's connections it hears; 0: none so far.
  std::uint32_t heard() const { return heard_; }

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
    if (!taken) pop()->give_back();
    current = taken = false;
  }
  void drop_messages() {
    while (Message* message = pop()) message->give_back();
    drop_ahead();
  }
  /// Starts at `address` in `of`'s memory for `owner`, with what `early` (may be null) has got for
  /// it.
  void open(Domain& of, std::uint64_t address, Endpoint& owner, Mailbox* early);

 private:
  struct Ahead;
  bool begin(std::uint32_t connection);
  Arrival take_ahead();
  void drop_ahead();

  Message* first_ = nullptr;
  Message* last_ = nullptr;
  std::uint64_t address_ = 0;
  Ahead* ahead_ = nullptr;  ///< messages that have overtaken others, in no order

 public:
  Endpoint* endpoint = nullptr;  ///< its owner, or null
  Domain* domain = nullptr;      ///< while it has one: the one that registered its memory

 private:
  std::uint32_t heard_ : MessageNumber::connection_bits = 0;

 public:
  bool current : 1 = false;  ///< the first message was handed out and not released
  bool taken : 1 = false;    ///< and is no longer here

 private:
  std::uint16_t next_number_ = 0;
};

/// What one sender's messages find where no endpoint has a mailbox yet.
struct EarlyMailbox final : Mailbox {
  EarlyMailbox(std::uint64_t address, FarEnd sender, EarlyMailbox* others)
      : Mailbox(address), from(sender), next(others) {}
  FarEnd from;
  EarlyMailbox* next;  ///< other senders', at the same address
};

}  // namespace nic
