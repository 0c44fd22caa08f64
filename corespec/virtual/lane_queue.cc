// Buckets: appending, putting one in order, refilling the ring from the heap beyond it.
#include "corespec/virtual/lane_queue.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"

namespace corespec {

void LaneQueue::set_least_delay(Time delay) {
  width_bits_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(delay.ps()))) - 1;
}

Time LaneQueue::next_end() const {
  if (next_time_ == Time::max()) return Time::max();
  return Time::picoseconds((bucket_of(next_time_) + 1) << width_bits_);
}

void LaneQueue::push(const Entry& entry) {
  const std::int64_t bucket = bucket_of(entry.at);
  if (bucket < base_) {
    throw std::logic_error("an effect between lanes is earlier than the least delay");
  }
  ++size_;
  next_time_ = std::min(next_time_, entry.at);
  if (bucket >= base_ + buckets) {
    far_.push(entry);
  } else {
    append(entry, bucket);
  }
}

void LaneQueue::append(const Entry& entry, std::int64_t bucket) {
  const std::size_t place = index(bucket);
  Slot& slot = slots_[place];
  if (slot.last == nullptr) {
    slot.earliest = entry.at;
    filled_[place / 64] |= std::uint64_t{1} << (place % 64);
  } else {
    slot.earliest = std::min(slot.earliest, entry.at);
  }
  if (slot.last == nullptr || slot.in_last == Chunk::capacity) add_chunk(slot);
  slot.last->entries[slot.in_last++] = entry;
  ++in_ring_;
}

void LaneQueue::add_chunk(Slot& slot) {
  if (free_ == nullptr) {
    constexpr std::size_t count = 32;
    slabs_.push_back(std::make_unique_for_overwrite<Chunk[]>(count));
    for (std::size_t i = 0; i < count; ++i) {
      slabs_.back()[i].next = free_;
      free_ = &slabs_.back()[i];
    }
  }
  Chunk& chunk = *free_;
  free_ = chunk.next;
  chunk.next = nullptr;
  slot.in_last = 0;
  (slot.last == nullptr ? slot.first : slot.last->next) = &chunk;
  slot.last = &chunk;
}

std::span<const LaneQueue::Entry* const> LaneQueue::open() {
  if (opened_.first != nullptr) recycle(opened_);
  if (in_ring_ == 0) {
    base_ = bucket_of(far_.next_time());
    fill_from_far();
  }
  const std::int64_t bucket = next_filled();
  Slot& slot = slots_[index(bucket)];
  put_in_order(slot);
  opened_ = std::exchange(slot, {});
  filled_[index(bucket) / 64] &= ~(std::uint64_t{1} << (index(bucket) % 64));
  in_ring_ -= in_order_.size();
  size_ -= in_order_.size();
  base_ = bucket + 1;
  fill_from_far();
  next_time_ = in_ring_ == 0 ? far_.next_time() : slots_[index(next_filled())].earliest;
  return in_order_;
}

const LaneQueue::Chunk* LaneQueue::with_next_prefetched(const Chunk* chunk) {
  if (chunk != nullptr) prefetch_lines(chunk->next, prefetch_numbers::chunk_lines);
  return chunk;
}

/// Counts each lane's entries, gives each lane its place, puts the entries there.
void LaneQueue::put_in_order(const Slot& slot) {
  lanes_in_.clear();
  std::uint32_t count = 0;
  for (const Chunk* chunk = with_next_prefetched(slot.first); chunk != nullptr;
       chunk = with_next_prefetched(chunk->next)) {
    const std::uint32_t held = slot.entries_in(chunk);
    count += held;
    for (std::uint32_t i = 0; i < held; ++i) {
      const std::uint32_t lane = lane_of(chunk->entries[i].arg);
      if (lane >= of_lane_.size()) of_lane_.resize(2 * (std::size_t{lane} + 1), 0);
      if (of_lane_[lane]++ == 0) lanes_in_.push_back(lane);
    }
  }
  std::uint32_t place = 0;
  for (const std::uint32_t lane : lanes_in_) {
    place += std::exchange(of_lane_[lane], place);
  }
  in_order_.resize(count);
  for (const Chunk* chunk = slot.first; chunk != nullptr; chunk = chunk->next) {
    const std::uint32_t held = slot.entries_in(chunk);
    for (std::uint32_t i = 0; i < held; ++i) {
      const Entry& entry = chunk->entries[i];
      in_order_[of_lane_[lane_of(entry.arg)]++] = &entry;
    }
  }
  const auto before = [](const Entry* a, const Entry* b) { return EventQueue::before(*a, *b); };
  auto begin = in_order_.begin();
  for (const std::uint32_t lane : lanes_in_) {
    const auto end = in_order_.begin() + std::exchange(of_lane_[lane], 0);
    if (end - begin > 1) std::sort(begin, end, before);
    begin = end;
  }
}

void LaneQueue::recycle(Slot& slot) {
  slot.last->next = free_;
  free_ = slot.first;
  slot = {};
}

/// Takes in what the ring has come to cover.
void LaneQueue::fill_from_far() {
  while (!far_.empty() && bucket_of(far_.next_time()) < base_ + buckets) {
    const Entry entry = far_.pop();
    append(entry, bucket_of(entry.at));
  }
}

/// The first filled bucket from base_ on; there is one.
std::int64_t LaneQueue::next_filled() const {
  constexpr std::size_t words = buckets / 64;
  const std::size_t start = index(base_);
  std::size_t word = start / 64;
  std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << (start % 64));
  while (bits == 0) {
    word = (word + 1) % words;
    bits = filled_[word];
  }
  const std::size_t found = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
  return base_ + static_cast<std::int64_t>((found + buckets - start) % buckets);
}

}  // namespace corespec
