// A mailbox: messages that arrived for one endpoint and were not released yet.
#pragma once

#include <cstdint>
#include <utility>

#include "ugni_emu/wire/wire.h"

namespace nic {

class Endpoint;

/// A message that arrived. Its bytes are what the host keeps of a mailbox.
struct Message {
  static constexpr std::uint8_t incomplete = 1;  ///< tag of one that is still landing
  ugni::Payload payload;
  Message* next = nullptr;
  std::uint8_t tag = 0;
};

/// Messages are kept in nodes that a NIC uses again and again.
class MessagePool {
 public:
  MessagePool() = default;
  MessagePool(const MessagePool&) = delete;
  MessagePool& operator=(const MessagePool&) = delete;
  ~MessagePool() {
    while (free_ != nullptr) delete std::exchange(free_, free_->next);
  }
  Message* take(ugni::Payload payload, std::uint8_t tag) {
    Message* message = free_ != nullptr ? std::exchange(free_, free_->next) : new Message;
    message->payload = std::move(payload);
    message->next = nullptr;
    message->tag = tag;
    return message;
  }
  void give_back(Message* message) {
    message->payload = ugni::Payload();
    message->next = free_;
    free_ = message;
  }

 private:
  Message* free_ = nullptr;
};

/// The receiving half of a connection, found by its address in the domain. It comes into being at
/// GNI_SmsgInit, or before that when the peer was faster and a message arrives.
class Mailbox {
 public:
  explicit Mailbox(std::uint64_t address) : address_(address) {}

  std::uint64_t address() const { return address_; }
  Message* front() const { return first_; }

  void push(Message* message) {
    (first_ == nullptr ? first_ : last_->next) = message;
    last_ = message;
  }
  Message* pop() {
    Message* message = first_;
    if (message != nullptr) first_ = message->next;
    return message;
  }

  Message* incomplete = nullptr;  ///< the one whose later segments are still on their way
  Endpoint* endpoint = nullptr;   ///< its owner, once it called GNI_SmsgInit
  bool current = false;           ///< the first message was handed out and not released

 private:
  std::uint64_t address_;
  Message* first_ = nullptr;
  Message* last_ = nullptr;
};

}  // namespace nic
