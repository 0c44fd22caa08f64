// Which posts and events of a NIC are those of marked commands.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

namespace nic {

/// A command that an endpoint has marked: of the NIC at `source`. Mark 0: none.
struct Track {
  std::uint32_t source = 0;
  std::uint32_t mark = 0;
};

/// The marks of a NIC's own posts. Kept beside them: they have one bit for it, and few are marked.
class PostMarks {
 public:
  std::uint32_t next = 1;  ///< the next mark of this NIC's endpoints

  void set(std::uint32_t post, std::uint32_t mark) { marks_[post] = mark; }
  /// Of a post whose bit is set.
  std::uint32_t of(std::uint32_t post) const { return marks_.at(post); }

 private:
  std::map<std::uint32_t, std::uint32_t> marks_;
};

/// The events in a queue that are marked commands'.
class TrackedEvents {
 public:
  bool empty() const { return events_.empty(); }
  /// One is in the queue, with so many events before it.
  void push(std::uint32_t before, const Track& track) {
    events_.push_back({taken_ + before, track});
  }
  /// The queue's first event is taken: its track.
  Track pop() {
    Track track;
    if (!events_.empty() && events_.front().place == taken_) {
      track = events_.front().track;
      events_.pop_front();
    }
    ++taken_;
    return track;
  }

 private:
  struct Event {
    std::uint64_t place;  ///< among those taken while the queue had tracked ones
    Track track;
  };
  std::deque<Event> events_;
  std::uint64_t taken_ = 0;
};

}  // namespace nic
