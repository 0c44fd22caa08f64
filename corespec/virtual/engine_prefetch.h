// What a domain's next events need, prefetched while the ones before them fire.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "corespec/events/event_queue.h"
#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"

namespace corespec {

/// The queue's next event.
inline void prefetch_next(const EventQueue& queue) {
  if (!queue.heap().empty()) prefetch_line(queue.heap().front().event);
}

/// A bucket's entries.
class BucketPrefetch {
 public:
  using Entries = std::span<const EventQueue::Entry* const>;

  explicit BucketPrefetch(Entries entries) : entries_(entries) {}

  /// Entry `next` is about to fire.
  void ahead_of(std::size_t next) {
    constexpr auto& ahead = prefetch_numbers::bucket_chain;
    if (next + prefetch_numbers::bucket_object < entries_.size()) {
      prefetch_line(entries_[next + prefetch_numbers::bucket_object]->event);
    }
    LineList<prefetch_numbers::lines_of_events> lines;
    for (unsigned step = 0; step < std::size(ahead); ++step) {
      const std::size_t place = next + ahead[step];
      if (place >= entries_.size()) continue;
      bool& more = goes_on_[place % goes_on_.size()];
      if (step != 0 && !more) continue;
      const EventQueue::Entry& entry = *entries_[place];
      more = entry.event->prefetch({Upcoming::Kind::event, entry.arg}, step, lines);
    }
  }

 private:
  Entries entries_;
  std::array<bool, prefetch_numbers::bucket_object> goes_on_{};  ///< by place: its chain does
};

}  // namespace corespec
