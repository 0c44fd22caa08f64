// A process's part of its node's shared message queue (MSGQ).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/message_queue_table.h"
#include "ugni_emu/nic/peer.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Domain;
struct Post;

/// The driver's queue lies in memory that a node's processes share: whichever looks first sorts
/// what has come for the others. Here the peer's NIC knows the instance's own memory handle, which
/// it was told at the connection, so that a message goes to its receiver at once: no process has to
/// run for another. What is shared is what limits: attributes, connections, and their credits
/// (MessageQueueTable). Messages and credits are those of SMSG, marked by a flag; any wire carries
/// them.
class alignas(64) MessageQueue {
 public:
  struct Received {
    ugni::NicAddress from = 0;
    std::uint32_t instance = 0;
    std::uint32_t generation = 0;   ///< of the sender's connection
    ugni::MemoryHandleBits handle;  ///< of the sender, for its credits
    std::uint8_t tag = 0;
    std::uint32_t mark = 0;  ///< telemetry's
    ugni::Payload data;
  };

  /// `arrivals`, a queue of its own, gets an event for each message.
  MessageQueue(Domain& domain, CompletionQueue& sends, CompletionQueue& arrivals,
               gni_msgq_rcv_cb_func* callback, void* context);
  ~MessageQueue();
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  /// Registers its memory and joins the node's queue. ERROR_NOMEM: no registration is left.
  gni_return_t join(const gni_msgq_attr_t& attributes);

  Domain& domain() const { return *domain_; }
  CompletionQueue& sends() const { return *sends_; }
  CompletionQueue& arrivals() const { return *arrivals_; }
  MessageQueueTable& table() { return table_; }
  const gni_msgq_attr_t& attributes() const { return table_.attributes(); }
  int call_back(Received& message) const;

  /// How many of its messages have no answer yet.
  std::uint32_t sending() const { return sending_; }
  /// Makes `transaction` a message of it to an instance.
  void address(ugni::Transaction& transaction, const MessageConnection& connection,
               const gni_msgq_rem_inst_t& to) const;
  /// Gives the message, which is addressed, its number among those to the instance. What is lost on
  /// its way has none; what has one keeps it.
  void number(ugni::Transaction& transaction, Post& post);
  void sent() { ++sending_; }
  /// A message was answered, or given up. One that was not delivered leaves its number to the next
  /// one to the instance.
  void answered(const Post& post);

  bool has_message() const { return !received_.empty(); }
  Received take_message();
  /// A message was handed out: credits go back, perhaps. True if a transaction has left.
  bool return_credits(const Received& message);

  // From the wire.
  ugni::ResponseStatus message_arrived(std::uint16_t region, ugni::SegmentView& segment);
  ugni::ResponseStatus credit_arrived(std::uint16_t region, const ugni::Transaction& transaction);

  bool busy = false;  ///< a thread hands its messages out

 private:
  /// By the NIC at the other end, and the name of its process's part's memory there.
  template <typename Row>
  using ByEnd = std::map<std::pair<ugni::NicAddress, std::uint64_t>, Row>;
  /// One part's messages to another are numbered anew when their nodes' queues are connected anew.
  struct Sent {
    std::uint32_t connection = 0;  ///< what the table calls it
    std::uint32_t generation = 0;
    MessageNumber next;
    std::vector<std::uint16_t> left;  ///< numbers of messages that failed
  };
  /// A connection ends only when all of its messages have been answered: none come behind those of
  /// the next one.
  struct Arriving {
    MessageNumber next;
    std::map<std::uint16_t, Received> ahead;  ///< those that have overtaken others
  };

  void deliver(Received message);

  Domain* domain_;
  CompletionQueue* sends_;
  CompletionQueue* arrivals_;
  gni_msgq_rcv_cb_func* callback_;
  void* context_;
  MessageQueueTable table_;
  gni_mem_handle_t handle_{};
  bool joined_ = false;
  std::uint32_t sending_ = 0;
  std::deque<Received> received_;
  ByEnd<Sent> sent_;
  ByEnd<Arriving> arriving_;
  std::array<std::byte, GNI_MSGQ_MSG_SZ_MAX> memory_{};  ///< what its handle names
};

}  // namespace nic
