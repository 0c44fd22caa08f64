// The event queue of a domain of many lanes: buckets of time, taken out one after another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "corespec/events/event_queue.h"
#include "corespec/time/time.h"

namespace corespec {

/// For tens of thousands of events within some microseconds that belong to thousands of lanes (the
/// routers of a network; EventDomain says what a lane is). Lanes affect each other no earlier than
/// the least delay, so what lies within one bucket of time, no wider than that, need not be in
/// order but lane by lane: an event costs an append and a step of a counting sort, where a heap of
/// that size costs a walk through memory that no cache holds. A ring of buckets covers the time
/// from the bucket taken out last on; what lies further ahead waits in a heap.
class LaneQueue {
 public:
  using Entry = EventQueue::Entry;
  static constexpr std::int64_t buckets = 2048;

  LaneQueue() : slots_(buckets) {}

  /// Between any two lanes; at least 1 ps. Buckets get the largest power of two of picoseconds
  /// within it. The queue is empty.
  void set_least_delay(Time delay);
  Time bucket() const { return Time::picoseconds(std::int64_t{1} << width_bits_); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Time next_time() const { return next_time_; }
  /// The end of the bucket of next_time(): earlier than that is what open() takes out.
  Time next_end() const;

  /// Throws std::logic_error if the bucket of `entry` was taken out already.
  void push(const Entry& entry);
  /// Takes out the entries of the next bucket: those of a lane follow each other, in their order,
  /// and the lanes in the order of their first push. Valid until the next open(). Not from an
  /// empty queue.
  std::span<const Entry* const> open();

 private:
  /// A bucket's entries come in chunks, as long as the host fetches ahead by itself; those of a
  /// bucket that was opened are used again first, while the cache holds them.
  struct alignas(1024) Chunk {
    static constexpr std::uint32_t capacity = 31;
    std::array<Entry, capacity> entries;
    Chunk* next = nullptr;
  };
  static_assert(sizeof(Chunk) == 1024);
  /// All of a bucket's chunks are full but for the last.
  struct alignas(32) Slot {
    Chunk* first = nullptr;
    Chunk* last = nullptr;
    Time earliest;
    std::uint32_t in_last = 0;

    std::uint32_t entries_in(const Chunk* chunk) const {
      return chunk == last ? in_last : Chunk::capacity;
    }
  };

  std::int64_t bucket_of(Time time) const { return time.ps() >> width_bits_; }
  static std::size_t index(std::int64_t bucket) {
    return static_cast<std::size_t>(bucket) % buckets;
  }
  void append(const Entry& entry, std::int64_t bucket);
  void add_chunk(Slot& slot);
  void put_in_order(const Slot& slot);
  static const Chunk* with_next_prefetched(const Chunk* chunk);
  void recycle(Slot& slot);
  void fill_from_far();
  std::int64_t next_filled() const;

  unsigned width_bits_ = 0;
  std::vector<Slot> slots_;
  std::array<std::uint64_t, buckets / 64> filled_{};  ///< a bit for each slot that has chunks
  std::int64_t base_ = 0;    ///< the ring holds buckets from here on; far_ what lies beyond it
  std::size_t in_ring_ = 0;  ///< entries
  std::size_t size_ = 0;
  Time next_time_ = Time::max();
  EventQueue far_;
  Chunk* free_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;

  Slot opened_;                          ///< the bucket taken out
  std::vector<const Entry*> in_order_;   ///< its entries
  std::vector<std::uint32_t> of_lane_;   ///< by lane: how many, then where, of the bucket; else 0
  std::vector<std::uint32_t> lanes_in_;  ///< lanes with entries in the bucket
};

}  // namespace corespec
