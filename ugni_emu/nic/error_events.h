// Error events: what went wrong with transactions of a node, told to its subscribers.
#pragma once

#include <cstdint>

#include "corespec/threads/node.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// The subscribers' queues lie in node memory: live, each of the node's processes hears of the
/// errors of all, as from the one NIC that they share. There are none before the first subscribes.
class ErrorEvents {
 public:
  static constexpr std::uint32_t most_queues = 64;    ///< of a node
  static constexpr std::uint32_t most_events = 1024;  ///< in a queue
  static constexpr std::uint32_t default_events = 64;
  static constexpr std::uint8_t any_ptag = 0;

  explicit ErrorEvents(corespec::Node& node) : node_(&node) {}

  /// The target refused a transaction of this node, or it was lost.
  void note(const ugni::Transaction& transaction, ugni::ResponseStatus status);

  /// A queue of its own for at most `size` events of the categories in `mask`; what finds no room
  /// is dropped. False: all are taken.
  bool subscribe(std::uint8_t ptag, gni_error_mask_t mask, std::uint32_t size,
                 std::uint32_t& queue);
  void release(std::uint32_t queue);

  gni_error_mask_t mask(std::uint32_t queue) const;
  void set_mask(std::uint32_t queue, gni_error_mask_t mask);
  void set_ptag(std::uint32_t queue, std::uint8_t ptag);

  bool has_event(std::uint32_t queue) const;
  /// False: there is none.
  bool take(std::uint32_t queue, gni_error_event_t& event);

  /// While it lives a thread waits for the queue, and its events raise the node's interrupt.
  class Waits {
   public:
    Waits(ErrorEvents& events, std::uint32_t queue);
    ~Waits();
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;

   private:
    ErrorEvents& events_;
    std::uint32_t queue_;
  };
  bool waited_for(std::uint32_t queue) const;

 private:
  struct Queue;
  struct Shared;
  Queue& at(std::uint32_t queue) const;

  corespec::Node* node_;
  mutable Shared* shared_ = nullptr;
};

}  // namespace nic
