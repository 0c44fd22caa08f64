// A timeline kept in memory, for a page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "launch/timeline/timeline_recorder.h"
#include "launch/timeline/timeline_sink.h"

namespace launch {

class TimelineTable final : public TimelineSink {
 public:
  void span(const TimelineSpan& span) override { spans_.push_back(span); }
  void arrow(const TimelineArrow& arrow) override { arrows_.push_back(arrow); }

  /// "castor timeline 1", times in microseconds:
  ///   tracks: {kind: "thread", "cpu", "kernel" or "nic", role, rank, nid, number} each, in the
  ///     order in which a picture shows them: ranks first, then nodes;
  ///   names: texts, which spans and arrows name by number;
  ///   spans: [track, begin, end, name, category, peer, bytes], by begin;
  ///   arrows: [track, track, sent, received, protocol, bytes].
  nlohmann::ordered_json json() const;

  const std::vector<TimelineSpan>& spans() const { return spans_; }
  const std::vector<TimelineArrow>& arrows() const { return arrows_; }

 private:
  std::vector<TimelineSpan> spans_;
  std::vector<TimelineArrow> arrows_;
};

/// What part of a run a timeline shows, and what there was no room for: {from_us, to_us (null: the
/// run's end), ranks (empty: all), left_out, left_out_from_us}.
nlohmann::ordered_json window_json(const TimelineRecorder& recorder);

}  // namespace launch
