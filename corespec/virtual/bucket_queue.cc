// Buckets: appending, sorting the open one, refilling the ring from the heap beyond it.
#include "corespec/virtual/bucket_queue.h"

#include <algorithm>
#include <bit>

namespace corespec {
namespace {

/// An object and not a function: sorting calls it without a call.
constexpr auto earlier = [](const EventQueue::Entry& a, const EventQueue::Entry& b) {
  return EventQueue::before(a, b);
};

}  // namespace

void BucketQueue::push(const Entry& entry) {
  const std::int64_t bucket = bucket_of(entry.at);
  ++size_;
  next_time_ = std::min(next_time_, entry.at);
  if (bucket >= base_ + buckets) {
    far_.push(entry);
  } else {
    append(entry, bucket);
  }
}

void BucketQueue::append(const Entry& entry, std::int64_t bucket) {
  if (in_ring_++ == 0) {
    open_ = bucket;
  } else if (bucket < open_) {
    close();
    open_ = bucket;
  }
  if (bucket == open_) {
    opened_.push_back(entry);
  } else {
    add_to_slot(entry, bucket);
  }
}

void BucketQueue::add_to_slot(const Entry& entry, std::int64_t bucket) {
  const std::size_t slot = index(bucket);
  Chunk*& last = slots_[slot];
  if (last == nullptr || last->count == Chunk::capacity) take_chunk(last);
  last->entries[last->count++] = entry;
  filled_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void BucketQueue::take_chunk(Chunk*& last) {
  if (free_ == nullptr) {
    constexpr std::size_t count = 64;
    slabs_.push_back(std::make_unique<Chunk[]>(count));
    for (std::size_t i = 0; i < count; ++i) {
      slabs_.back()[i].before = free_;
      free_ = &slabs_.back()[i];
    }
  }
  Chunk* chunk = free_;
  free_ = chunk->before;
  chunk->count = 0;
  chunk->before = last;
  last = chunk;
}

/// Takes a bucket out of its slot.
void BucketQueue::open(std::int64_t bucket) {
  const std::size_t slot = index(bucket);
  for (Chunk* chunk = slots_[slot]; chunk != nullptr;) {
    opened_.insert(opened_.end(), chunk->entries.begin(),
                   chunk->entries.begin() + static_cast<std::ptrdiff_t>(chunk->count));
    Chunk* const before = chunk->before;
    chunk->before = free_;
    free_ = chunk;
    chunk = before;
  }
  slots_[slot] = nullptr;
  filled_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  open_ = bucket;
}

/// Puts the open bucket back: an earlier one has come. Nothing was popped from it.
void BucketQueue::close() {
  for (const Entry& entry : opened_) add_to_slot(entry, open_);
  opened_.clear();
  in_order_ = 0;
}

/// Of what the open bucket still holds, the first are in order already.
void BucketQueue::sort_open() {
  const auto first = opened_.begin() + static_cast<std::ptrdiff_t>(cursor_);
  const auto added = opened_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  if (opened_.size() - in_order_ == 1) {
    std::rotate(std::upper_bound(first, added, *added, earlier), added, opened_.end());
    return;
  }
  std::sort(added, opened_.end(), earlier);
  if (in_order_ != cursor_) std::inplace_merge(first, added, opened_.end(), earlier);
}

BucketQueue::Entry BucketQueue::pop() {
  if (in_ring_ == 0) {
    base_ = bucket_of(far_.next_time());
    fill_from_far();
  }
  put_in_order();
  const Entry entry = opened_[cursor_++];
  --in_ring_;
  --size_;
  const bool drained = cursor_ == opened_.size();
  if (drained) {
    opened_.clear();
    cursor_ = in_order_ = 0;
    if (in_ring_ != 0) open(next_filled(open_));
  }
  const std::int64_t popped = bucket_of(entry.at);
  if (base_ != popped) {
    base_ = popped;
    fill_from_far();
  }
  if (in_ring_ == 0) {
    next_time_ = far_.next_time();
  } else {
    put_in_order();
    next_time_ = opened_[cursor_].at;
  }
  return entry;
}

/// Takes in what the ring has come to cover.
void BucketQueue::fill_from_far() {
  while (!far_.empty() && bucket_of(far_.next_time()) < base_ + buckets) {
    const Entry entry = far_.pop();
    append(entry, bucket_of(entry.at));
  }
}

/// The first filled bucket after `after`; there is one.
std::int64_t BucketQueue::next_filled(std::int64_t after) const {
  constexpr std::size_t words = buckets / 64;
  const std::size_t start = index(after + 1);
  std::size_t word = start / 64;
  std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (start % 64));
  while (bits == 0) {
    word = (word + 1) % words;
    bits = filled_[word];
  }
  const std::size_t found = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
  const std::size_t distance = (found + buckets - index(after)) % buckets;
  return after + static_cast<std::int64_t>(distance);
}

}  // namespace corespec
