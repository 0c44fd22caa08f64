// What arrivals, answers and looks touch of a NIC and its domains, prefetched.
#pragma once

#include <cstdint>

#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/post.h"

namespace nic {

struct Prefetch {
  using Lines = corespec::LineRequests;

  // Of these each, where it lies: one step.

  /// The queue's oldest event, and where the next one will lie; the queue itself is there.
  static void events(const CompletionQueue& queue, Lines& lines) {
    if (queue.ring_ == nullptr) return;
    lines.add(&queue.ring_[queue.first_]);
    lines.add(&queue.ring_[(queue.first_ + queue.count_) & (queue.ring_size() - 1)]);
  }
  /// What Domain::has_finished_datagram() looks at.
  static void datagrams(const Domain& domain, Lines& lines) {
    lines.add(&domain.finished_datagrams_);
  }

  // Steps, as Prefetchable::prefetch() has them.

  /// What a request's arrival touches of a domain.
  static bool arrival(const Domain& domain, const ugni::Transaction& transaction, unsigned step,
                      Lines& lines);
  /// The table's own lines behind its first, which is there.
  static void table(const PostTable& posts, Lines& lines) {
    if (posts.size_ > PostTable::chunk) lines.add(&posts.near_.back());
  }
  /// After that, the post that is taken next.
  static void next_post(const PostTable& posts, Lines& lines) {
    const std::uint32_t number = posts.first_free_;
    if (number != PostTable::none) {
      lines.add(&(*posts.place_of(number))[number % PostTable::chunk]);
    }
  }
  /// What the answer to a post touches.
  static bool answer(const PostTable& posts, std::uint64_t number, unsigned step, Lines& lines);
};

}  // namespace nic
