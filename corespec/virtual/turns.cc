// Turns: a few domains in order, and a heap.
#include "corespec/virtual/turns.h"

#include <algorithm>

#include "corespec/virtual/virtual_domain.h"

namespace corespec {

bool Turns::are_many() const { return used_ >= prefetch_numbers::many_domains; }

void Turns::add(VirtualDomain& domain) {
  if (positions_.size() <= domain.number()) positions_.resize(domain.number() + 1);
  const Turn turn{domain.next_time(), &domain, domain.number()};
  if (ordered_ < most_in_order) {
    put_in_order(turn);
    return;
  }
  heap_.push_back(turn);
  positions_[turn.number] = static_cast<std::uint32_t>(heap_.size() - 1);
  move_up(turn);
}

void Turns::first_has_run() {
  VirtualDomain& domain = first();
  const Turn turn{domain.next_time(), &domain, domain.number()};
  first_ = (first_ + 1) % ring_size;
  --ordered_;
  if (heap_.empty() || turn.next < heap_.front().next) {
    put_in_order(turn);
    return;
  }
  put_in_order(heap_.front());
  sift_down(turn);
}

void Turns::moved_earlier(VirtualDomain& domain) {
  const bool first_event = domain.events() == 0 && domain.queue().size() == 1;
  if (first_event) ++used_;
  move_up({domain.next_time(), &domain, domain.number()});
}

/// To an earlier place.
void Turns::move_up(const Turn& turn) {
  const std::uint32_t position = positions_[turn.number];
  if (position == is_in_order) {
    take_out_of_order(turn.number);
    put_in_order(turn);
  } else if (const Turn last = in_order(ordered_ - 1); turn.next < last.next) {
    // They change places.
    --ordered_;
    put_in_order(turn);
    sift_up(position, last);
  } else {
    sift_up(position, turn);
  }
}

/// Behind those of the same time. There is room.
void Turns::put_in_order(const Turn& turn) {
  std::size_t i = ordered_++;
  for (; i > 0 && turn.next < in_order(i - 1).next; --i) in_order(i) = in_order(i - 1);
  in_order(i) = turn;
  positions_[turn.number] = is_in_order;
}

/// There is one of the number.
void Turns::take_out_of_order(std::uint32_t number) {
  std::size_t i = 0;
  while (in_order(i).number != number) ++i;
  for (--ordered_; i < ordered_; ++i) in_order(i) = in_order(i + 1);
}

void Turns::sift_up(std::size_t position, const Turn& turn) {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap_[parent].next <= turn.next) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, turn);
}

/// Puts `turn` where the first was, and lets it sink to its place.
void Turns::sift_down(const Turn& turn) {
  const std::size_t count = heap_.size();
  std::size_t position = 0;
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= count) break;
    if (child + 1 < count && heap_[child + 1].next < heap_[child].next) ++child;
    if (heap_[child].next >= turn.next) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, turn);
}

}  // namespace corespec
