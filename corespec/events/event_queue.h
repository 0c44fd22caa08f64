// The event queue of one domain: a heap with a total order that no memory address enters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"

namespace corespec {

/// Four-ary heap of (time, source, count). Small, since a few Geminis have one of their own: a few
/// dozen entries that stay in the cache while their domain runs. Another domain leaves its
/// entries before the heap, in the queue itself, so that it needs no line of the heap's.
class EventQueue {
 public:
  struct Entry {
    Time at;
    std::uint64_t key;  ///< source id in the upper 29 bits, the source's count below
    Event* event;
    std::uint64_t arg;
  };

  static std::uint64_t make_key(EventSource& source) {
    return (static_cast<std::uint64_t>(source.id) << EventSource::count_bits) | source.count++;
  }

  static bool before(const Entry& a, const Entry& b) {
    return a.at < b.at || (a.at == b.at && a.key < b.key);
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return entries_.size() + left_; }
  Time next_time() const { return next_time_; }

  /// Leaves an entry for settle(), or does settle() if there is no room.
  void leave(const Entry& entry) {
    if (left_ == room) settle();
    left_entries_[left_++] = entry;
    next_time_ = std::min(next_time_, entry.at);
  }
  /// Takes in what has been left.
  void settle() {
    for (; left_ > 0; --left_) insert(left_entries_[left_ - 1]);
  }

  /// The heap, without what has been left: the next entry first.
  std::span<const Entry> heap() const { return entries_; }

  void push(const Entry& entry) {
    next_time_ = std::min(next_time_, entry.at);
    insert(entry);
  }

  /// The next entry of a queue in which nothing is left and that is not empty.
  Entry pop() {
    const Entry top = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(last);
    next_time_ = entries_.empty() ? Time::max() : entries_.front().at;
    return top;
  }

  /// Takes out all entries of `event`, looking at every one.
  void remove(const Event& event) {
    next_time_ = Time::max();
    for (const Entry& entry : std::exchange(entries_, {})) {
      if (entry.event != &event) push(entry);
    }
  }

  /// True if `is(event)` is of any that is scheduled or left.
  template <typename Is>
  bool any_of(const Is& is) const {
    const auto is_it = [&](const Entry& entry) { return is(*entry.event); };
    return std::any_of(entries_.begin(), entries_.end(), is_it) ||
           std::any_of(left_entries_.begin(), left_entries_.begin() + left_, is_it);
  }

 private:
  void insert(const Entry& entry) {
    std::size_t hole = entries_.size();
    entries_.push_back(entry);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(entry, entries_[parent])) break;
      entries_[hole] = entries_[parent];
      hole = parent;
    }
    entries_[hole] = entry;
  }

  /// Puts `entry` where the removed top was and lets it sink to its place.
  void sink(const Entry& entry) {
    const std::size_t count = entries_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= count) break;
      std::size_t least = first;
      const std::size_t end = first + 4 < count ? first + 4 : count;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(entries_[child], entries_[least])) least = child;
      }
      if (!before(entries_[least], entry)) break;
      entries_[hole] = entries_[least];
      hole = least;
    }
    entries_[hole] = entry;
  }

  static constexpr std::size_t room = 4;

  Time next_time_ = Time::max();  ///< of all: to read it takes no line of the heap's
  std::size_t left_ = 0;
  std::vector<Entry> entries_;
  std::array<Entry, room> left_entries_;  // NOLINT: left_ of them are set
};

}  // namespace corespec
