// What a NIC remembers of each transaction of its own that is under way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/prefetch_lines.h"
#include "corespec/host/check.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class Endpoint;

struct alignas(64) Post {
  gni_post_descriptor_t* descriptor =
      nullptr;                   ///< null: its events are as a message's, to be taken and no more
  Domain* domain = nullptr;      ///< null once the domain is gone
  Endpoint* endpoint = nullptr;  ///< null once the endpoint is gone
  CompletionQueue* queue = nullptr;  ///< for local events; null if there is none
  std::uint64_t local_address = 0;   ///< of a message: its place (set_place), or MSGQ's number
  std::uint64_t local_handle = 0;  ///< a region's name; 0 if the local memory needs no registration
  std::uint32_t length = 0;
  std::uint32_t answered = 0;    ///< bytes whose responses have come
  std::uint32_t event_word = 0;  ///< local event, or msg_id; of a free number: the next one
  std::uint8_t channel = 0;      ///< 0 = FMA, 1.. = BTE channel
  ugni::TransactionKind kind : 4 = ugni::TransactionKind::put;
  ugni::ResponseStatus status : 4 = ugni::ResponseStatus::ok;
  std::uint8_t events : 4 = 0;   ///< GNI_CQMODE_ bits still to be delivered locally
  std::uint8_t harvest : 4 = 0;  ///< delivered events that GNI_GetCompleted has not seen yet
  bool live : 1 = false;
  bool late : 1 = false;          ///< failed after it was reported: the descriptor may be gone
  bool finished : 1 = false;      ///< all responses have come
  bool chained : 1 = false;       ///< others of its chain are under way
  bool event_lost : 1 = false;    ///< its remote event found no room
  bool tracked : 1 = false;       ///< a marked command
  bool shared_queue : 1 = false;  ///< a message of MSGQ

  /// Of a mailbox message: its place among those of its connection, once it has one.
  void set_place(const MessageNumber& number) { local_address = number.word() | has_place; }
  bool is_placed() const { return (local_address & has_place) != 0; }
  MessageNumber place() const { return MessageNumber::of(local_address & ~has_place); }

  /// Of a message of MSGQ: what the node's table calls its connection, and its number once it has
  /// one.
  void set_queue_connection(std::uint32_t table_number) {
    CASTOR_CHECK(table_number >> queue_number_shift == 0, "so many connections of a message queue");
    local_address = table_number;
  }
  void set_queue_number(const MessageNumber& number) {
    local_address = queue_connection() | number.word() << queue_number_shift;
  }
  std::uint32_t queue_connection() const {
    return static_cast<std::uint32_t>(local_address % (1U << queue_number_shift));
  }
  /// Its connection is 0 while it has none.
  MessageNumber queue_number() const {
    return MessageNumber::of(local_address >> queue_number_shift);
  }

 private:
  static constexpr unsigned queue_number_shift = 24;
  static constexpr std::uint64_t has_place = std::uint64_t{1} << 63;
};
static_assert(sizeof(Post) == 64);

/// The posts of a NIC, numbered. A number is a transaction's initiator_key less one and, of a
/// descriptor, the tid in its completion queue entry. Memory comes in chunks, so that posts never
/// move and no larger table is made while the smaller one is still there.
class PostTable {
 public:
  static constexpr std::uint32_t none = ~0U;
  static constexpr std::uint32_t capacity = 1U << 20;

  /// The number of a fresh post, or `none` if all are taken.
  std::uint32_t take() {
    std::uint32_t number = first_free_;
    if (number != none) {
      first_free_ = (*this)[number].event_word;
      if (first_free_ != none) corespec::prefetch_line(&(*this)[first_free_]);
    } else {
      if (size_ == capacity) return none;
      number = size_++;
      if (number % chunk == 0) add_chunk();
    }
    Post& post = (*this)[number];
    post = Post{};
    post.live = true;
    ++live_;
    return number;
  }
  void give_back(std::uint32_t number) {
    Post& post = (*this)[number];
    CASTOR_CHECK(post.live, "a post slot is given back twice");
    post.live = false;
    post.event_word = first_free_;
    first_free_ = number;
    --live_;
  }
  bool none_live() const { return live_ == 0; }
  Post& operator[](std::uint32_t number) { return (*place_of(number))[number % chunk]; }
  /// The post behind a tid or key, or null.
  Post* find(std::uint64_t number) {
    if (number >= size_) return nullptr;
    Post& post = (*this)[static_cast<std::uint32_t>(number)];
    return post.live ? &post : nullptr;
  }
  /// Numbers that have been used at all: [0, size()).
  std::uint32_t size() const { return size_; }

 private:
  friend struct Prefetch;
  static constexpr std::uint32_t chunk = 16;
  static constexpr std::uint32_t near_chunks = 4;
  using Chunk = std::array<Post, chunk>;

  void add_chunk() {
    const std::uint32_t index = (size_ - 1) / chunk;
    if (index < near_chunks) {
      near_[index] = std::make_unique<Chunk>();
    } else {
      far_.push_back(std::make_unique<Chunk>());
    }
  }
  const std::unique_ptr<Chunk>& place_of(std::uint32_t number) const {
    const std::uint32_t index = number / chunk;
    return index < near_chunks ? near_[index] : far_[index - near_chunks];
  }

  std::uint32_t size_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t first_free_ = none;
  std::array<std::unique_ptr<Chunk>, near_chunks> near_;  ///< the first ones: one look less
  std::vector<std::unique_ptr<Chunk>> far_;
};

}  // namespace nic
