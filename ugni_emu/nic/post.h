// What a NIC remembers of each transaction of its own that is under way.
#pragma once

#include <cstdint>
#include <vector>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Domain;
class Endpoint;

struct alignas(64) Post {
  gni_post_descriptor_t* descriptor = nullptr;  ///< null: its end brings none back
  Domain* domain = nullptr;                     ///< null once the domain is gone
  Endpoint* endpoint = nullptr;                 ///< null once the endpoint is gone
  CompletionQueue* queue = nullptr;             ///< for local events; null if there is none
  std::uint64_t local_address = 0;
  std::uint64_t local_handle = 0;  ///< qword1; 0 if the local memory needs no registration
  std::uint32_t length = 0;
  std::uint32_t answered = 0;    ///< bytes whose responses have come
  std::uint32_t event_word = 0;  ///< local event, or msg_id; of a free number: the next one
  std::uint8_t channel = 0;      ///< 0 = FMA, 1.. = BTE channel
  ugni::TransactionKind kind : 4 = ugni::TransactionKind::put;
  ugni::ResponseStatus status : 4 = ugni::ResponseStatus::ok;
  std::uint8_t events : 4 = 0;   ///< GNI_CQMODE_ bits still to be delivered locally
  std::uint8_t harvest : 4 = 0;  ///< delivered events that GNI_GetCompleted has not seen yet
  bool live : 1 = false;
  bool late : 1 = false;      ///< failed after it was reported: the descriptor may be gone
  bool finished : 1 = false;  ///< all responses have come
};
static_assert(sizeof(Post) == 64);

/// The posts of a NIC, numbered. A number is a transaction's initiator_key less one and, of a
/// descriptor, the tid in its completion queue entry.
class PostTable {
 public:
  static constexpr std::uint32_t none = ~0U;
  static constexpr std::uint32_t capacity = 1U << 20;

  /// A fresh post, or `none` if all numbers are taken.
  std::uint32_t take() {
    std::uint32_t number = first_free_;
    if (number != none) {
      first_free_ = posts_[number].event_word;
    } else {
      if (posts_.size() == capacity) return none;
      number = static_cast<std::uint32_t>(posts_.size());
      posts_.emplace_back();
    }
    posts_[number] = Post{};
    posts_[number].live = true;
    return number;
  }
  void give_back(std::uint32_t number) {
    posts_[number].live = false;
    posts_[number].event_word = first_free_;
    first_free_ = number;
  }
  Post& operator[](std::uint32_t number) { return posts_[number]; }
  /// The post behind a tid or key, or null.
  Post* find(std::uint64_t number) {
    return number < posts_.size() && posts_[number].live ? &posts_[number] : nullptr;
  }
  /// Asks the host for a post, then for what its end touches.
  void prefetch(std::uint64_t number, unsigned step) const {
    if (number >= posts_.size()) return;
    const Post& post = posts_[number];
    if (step == 0) {
      __builtin_prefetch(&post);
    } else if (step == 1) {
      __builtin_prefetch(post.endpoint);
      __builtin_prefetch(post.queue);
    }
  }
  std::vector<Post>& all() { return posts_; }

 private:
  std::vector<Post> posts_;
  std::uint32_t first_free_ = none;
};

}  // namespace nic
