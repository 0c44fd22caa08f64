// An observer that makes spans and arrows of what happens.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "corespec/events/observer.h"
#include "launch/timeline/timeline_sink.h"

namespace launch {

/// What part of a run a timeline shows.
struct TimelineWindow {
  corespec::Time from;
  corespec::Time to = corespec::Time::max();
  std::set<int> ranks;             ///< empty: all
  std::set<std::uint32_t> nids;    ///< of these ranks; empty: all
  std::uint64_t most = 4'000'000;  ///< spans and arrows together

  bool holds_rank(int rank) const { return ranks.empty() || ranks.count(rank) != 0; }
  bool holds_node(std::uint32_t nid) const { return nids.empty() || nids.count(nid) != 0; }
};

class TimelineRecorder final : public corespec::Observer {
 public:
  TimelineRecorder(TimelineSink& sink, TimelineWindow window)
      : sink_(&sink), window_(std::move(window)) {}

  void observe(const corespec::Occurrence& occurrence) override;
  /// Ends what is still under way.
  void end(corespec::Time at);
  const TimelineWindow& window() const { return window_; }
  /// Spans and arrows that there was no room for, and the moment of the first; in none of the
  /// window's ends is anything counted.
  std::uint64_t left_out() const { return left_out_; }
  corespec::Time left_out_from() const { return left_out_from_; }

 private:
  using Time = corespec::Time;
  struct Begun {
    Time at;
    const char* name = nullptr;
    std::int32_t rank = -1;
  };
  /// Sender, receiver, the sender's number.
  using MessageName = std::tuple<int, int, std::uint64_t>;
  struct Sent {
    TimelineTrack track;
    Time at;
  };

  TimelineTrack thread_track(const corespec::Occurrence& occurrence) const;
  void begin(const TimelineTrack& track, const Begun& begun) { open_[track] = begun; }
  void finish(const TimelineTrack& track, Time at, const char* category);
  void span(const TimelineSpan& span);
  void arrow(const corespec::Occurrence& received);
  bool has_room(Time at);

  TimelineSink* sink_;
  TimelineWindow window_;
  std::map<TimelineTrack, Begun> open_;
  std::map<MessageName, Sent> sent_;
  std::map<TimelineTrack, Time> kernel_until_;
  std::uint64_t written_ = 0;
  std::uint64_t left_out_ = 0;
  Time left_out_from_;
};

}  // namespace launch
