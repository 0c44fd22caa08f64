// The event queue of one domain: a heap with a total order that no memory address enters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"

namespace corespec {

/// Four-ary heap of (time, source, count). Small, since each Gemini has one of its own: a few
/// dozen entries that stay in the cache.
class EventQueue {
 public:
  struct Entry {
    Time at;
    std::uint64_t key;  ///< source id in the upper 24 bits, the source's count below
    Event* event;
    std::uint64_t arg;
  };

  static std::uint64_t make_key(EventSource& source) {
    return (static_cast<std::uint64_t>(source.id) << 40) | source.count++;
  }

  static bool before(const Entry& a, const Entry& b) {
    return a.at < b.at || (a.at == b.at && a.key < b.key);
  }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  Time next_time() const { return entries_.empty() ? Time::max() : entries_.front().at; }

  /// The next entry; null if there is none.
  const Entry* next() const { return entries_.empty() ? nullptr : &entries_.front(); }

  void push(const Entry& entry) {
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

  Entry pop() {
    const Entry top = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(last);
    return top;
  }

  /// True if `is(event)` is of any that is scheduled.
  template <typename Is>
  bool any_of(const Is& is) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return is(*entry.event); });
  }

  /// Takes out all entries of `event`, looking at every one.
  void remove(const Event& event) {
    for (const Entry& entry : std::exchange(entries_, {})) {
      if (entry.event != &event) push(entry);
    }
  }

 private:
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

  std::vector<Entry> entries_;
};

}  // namespace corespec
