// What the processes of a node share of a message queue (MSGQ): instances, connections, credits.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "corespec/threads/node.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// To the queue of another node. Lies in node memory.
class MessageConnection {
 public:
  /// INVALID_STATE: it is not (or no longer) connected. NO_MATCH: no such instance there. NOT_DONE:
  /// there are no credits. SUCCESS: a credit is taken, and end_send() has to follow.
  gni_return_t begin_send(std::uint32_t instance, const gni_msgq_rem_inst_t*& to);
  /// `undelivered`: the message takes no place at the peer.
  void end_send(bool undelivered);
  /// The peer has given credits back. False: more than it has got.
  bool give_credits(std::uint32_t generation, std::uint32_t count);

  /// A message from there was handed out: the credits that go back now, half of all at a time. The
  /// node's processes count them together, so that the sender never starves.
  std::uint32_t credits_to_return(std::uint32_t all_credits);

  std::uint32_t generation() const { return generation_.load(); }
  std::uint32_t max_message() const { return max_message_.load(); }

 private:
  friend class MessageQueueTable;
  enum : std::uint32_t { free, reserved, connected };

  std::atomic<std::uint32_t> state_;
  std::atomic<std::uint32_t> address_;     ///< PE
  std::atomic<std::uint32_t> generation_;  ///< of the place's connections, one after the other
  std::atomic<std::uint32_t> max_message_;
  std::atomic<std::uint32_t> all_credits_;
  std::atomic<std::uint32_t> credits_;
  std::atomic<std::uint32_t> sending_;  ///< messages without an answer
  std::atomic<std::uint32_t> owed_;     ///< credits that the peer lacks yet
  std::uint32_t instances_;
  std::array<gni_msgq_rem_inst_t, GNI_MSGQ_NODE_INSTS_MAX> to_;
};

/// In virtual time the ranks of a node are one process and share it all the same.
class MessageQueueTable {
 public:
  MessageQueueTable(corespec::Node& node, const ugni::ProtectionName& name);

  /// A process's part of the queue. INVALID_STATE: the others' attributes differ, or all are there.
  gni_return_t join(const gni_msgq_attr_t& attributes, const gni_msgq_rem_inst_t& self);
  void leave(std::uint32_t instance);

  const gni_msgq_attr_t& attributes() const { return attributes_; }

  /// A place for a connection, and what the peer has to know. INVALID_STATE: there is one, or not
  /// all local instances are there yet. ERROR_RESOURCE: no place is left.
  gni_return_t reserve(ugni::NicAddress self, ugni::NicAddress peer, gni_msgq_ep_attr_t& told);
  /// NO_MATCH: nothing is reserved. INVALID_STATE: it is connected.
  gni_return_t connect(ugni::NicAddress peer, const gni_msgq_ep_attr_t& told);
  /// NO_MATCH: nothing is reserved. NOT_DONE: messages are under way.
  gni_return_t release(ugni::NicAddress peer);

  /// The connection to a peer, reserved at least; or null.
  MessageConnection* find(ugni::NicAddress peer) const;
  std::uint32_t number_of(const MessageConnection& connection) const {
    return static_cast<std::uint32_t>(&connection - connections_);
  }
  MessageConnection& numbered(std::uint32_t number) const { return connections_[number]; }

 private:
  struct Shared;
  class Turn;

  corespec::Node* node_;
  std::string name_;
  Shared* shared_;
  gni_msgq_attr_t attributes_{};
  MessageConnection* connections_ = nullptr;
};

}  // namespace nic
