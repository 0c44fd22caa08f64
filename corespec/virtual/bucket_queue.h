// The event queue of a busy domain: buckets of equal width, each put in order when its turn comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/time/time.h"
#include "corespec/virtual/event_queue.h"

namespace corespec {

/// The order of EventQueue, for tens of thousands of events within some microseconds (all routers
/// of a network in one domain): an event costs an append and its share of a short sort, where a
/// heap of that size costs a walk through memory that no cache holds. A ring of buckets covers the
/// time from the last popped entry on; what lies further ahead waits in a heap.
class BucketQueue {
 public:
  using Entry = EventQueue::Entry;
  static constexpr unsigned width_bits = 10;  ///< a bucket is 2^10 ps wide
  static constexpr std::int64_t buckets = 2048;

  BucketQueue() : slots_(buckets) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Time next_time() const { return next_time_; }

  /// `entry` is not earlier than the one popped last.
  void push(const Entry& entry);
  /// Not from an empty queue.
  Entry pop();

  /// The entry `ahead` places after the next one if it is known already, else null.
  const Entry* peek(std::size_t ahead) const {
    return cursor_ + ahead < in_order_ ? &opened_[cursor_ + ahead] : nullptr;
  }

 private:
  /// A bucket's entries come in chunks; those of a bucket that was opened are used again first,
  /// while the cache holds them.
  struct Chunk {
    static constexpr std::size_t capacity = 15;
    std::array<Entry, capacity> entries;
    std::size_t count = 0;
    Chunk* before = nullptr;
  };

  static std::int64_t bucket_of(Time time) { return time.ps() >> width_bits; }
  static std::size_t index(std::int64_t bucket) {
    return static_cast<std::size_t>(bucket % buckets);
  }
  void append(const Entry& entry, std::int64_t bucket);
  void add_to_slot(const Entry& entry, std::int64_t bucket);
  void take_chunk(Chunk*& last);
  void open(std::int64_t bucket);
  void close();
  /// Sorts what the open bucket still holds.
  void put_in_order() {
    if (in_order_ == opened_.size()) return;
    if (opened_.size() - cursor_ > 1) sort_open();
    in_order_ = opened_.size();
  }
  void sort_open();
  void fill_from_far();
  std::int64_t next_filled(std::int64_t after) const;

  std::vector<Chunk*> slots_;                         ///< each bucket's last chunk
  std::array<std::uint64_t, buckets / 64> filled_{};  ///< a bit for each slot that has chunks
  std::vector<Entry> opened_;                         ///< the open bucket, no longer in its slot
  std::size_t cursor_ = 0;                            ///< its next entry
  std::size_t in_order_ = 0;                          ///< its entries up to here are sorted
  std::int64_t open_ = 0;                             ///< earliest bucket in the ring
  std::int64_t base_ = 0;  ///< the ring holds buckets from here on; far_ what lies beyond it
  std::size_t in_ring_ = 0;
  std::size_t size_ = 0;
  Time next_time_ = Time::max();
  EventQueue far_;
  Chunk* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
};

}  // namespace corespec
