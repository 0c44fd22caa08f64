// A timeline as JSON for a page.
#include "launch/timeline/timeline_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "corespec/threads/thread.h"

namespace launch {
namespace {

using corespec::ThreadRole;
using nlohmann::ordered_json;

const char* name_of(TimelineTrack::Kind kind) {
  switch (kind) {
    case TimelineTrack::Kind::thread:
      return "thread";
    case TimelineTrack::Kind::cpu:
      return "cpu";
    case TimelineTrack::Kind::kernel:
      return "kernel";
    case TimelineTrack::Kind::nic:
      return "nic";
  }
  return "";
}

const char* role_of(const TimelineTrack& track) {
  if (track.kind != TimelineTrack::Kind::thread) return "";
  switch (static_cast<ThreadRole>(track.role)) {
    case ThreadRole::application:
      return "application";
    case ThreadRole::progress:
      return "progress";
    case ThreadRole::helper:
      return "helper";
    case ThreadRole::daemon:
      return "daemon";
  }
  return "";
}

/// Ranks by number, each with its own threads first; then nodes: CPUs, what the kernel takes, NIC.
bool shown_before(const TimelineTrack& a, const TimelineTrack& b) {
  const auto place = [](const TimelineTrack& track) {
    const bool of_rank = track.kind == TimelineTrack::Kind::thread && track.rank >= 0;
    return std::tuple(!of_rank, of_rank ? track.rank : static_cast<std::int32_t>(track.nid),
                      track.kind, track.role, track.number);
  };
  return place(a) < place(b);
}

/// In microseconds; the quotient of whole numbers has the fewest digits.
double micro(corespec::Time time) { return static_cast<double>(time.ps()) / 1e6; }

/// Texts, each once.
class Names {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [found, fresh] = numbers_.try_emplace(text, all.size());
    if (fresh) all.push_back(text);
    return found->second;
  }
  ordered_json all = ordered_json::array();

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

ordered_json TimelineTable::json() const {
  std::vector<TimelineTrack> tracks;
  std::map<TimelineTrack, std::size_t> numbers;
  const auto note = [&](const TimelineTrack& track) {
    if (numbers.try_emplace(track, 0).second) tracks.push_back(track);
  };
  for (const TimelineSpan& span : spans_) note(span.track);
  for (const TimelineArrow& arrow : arrows_) {
    note(arrow.from);
    note(arrow.to);
  }
  std::sort(tracks.begin(), tracks.end(), shown_before);
  ordered_json all_tracks = ordered_json::array();
  for (const TimelineTrack& track : tracks) {
    numbers[track] = all_tracks.size();
    all_tracks.push_back({{"kind", name_of(track.kind)},
                          {"role", role_of(track)},
                          {"rank", track.rank},
                          {"nid", track.nid},
                          {"number", track.number}});
  }
  std::vector<const TimelineSpan*> in_order;
  in_order.reserve(spans_.size());
  for (const TimelineSpan& span : spans_) in_order.push_back(&span);
  std::stable_sort(
      in_order.begin(), in_order.end(),
      [](const TimelineSpan* a, const TimelineSpan* b) { return a->begin < b->begin; });
  Names names;
  ordered_json spans = ordered_json::array();
  for (const TimelineSpan* span : in_order) {
    spans.push_back({numbers[span->track], micro(span->begin), micro(span->end),
                     names.number_of(span->name), names.number_of(span->category), span->peer,
                     span->bytes});
  }
  ordered_json arrows = ordered_json::array();
  for (const TimelineArrow& arrow : arrows_) {
    arrows.push_back({numbers[arrow.from], numbers[arrow.to], micro(arrow.sent),
                      micro(arrow.received), names.number_of(arrow.protocol), arrow.bytes});
  }
  return {{"format", "castor timeline 1"},
          {"tracks", all_tracks},
          {"names", names.all},
          {"spans", spans},
          {"arrows", arrows}};
}

ordered_json window_json(const TimelineRecorder& recorder) {
  const TimelineWindow& window = recorder.window();
  ordered_json to;
  if (window.to < corespec::Time::max()) to = micro(window.to);
  return {{"from_us", micro(window.from)},
          {"to_us", to},
          {"ranks", window.ranks},
          {"left_out", recorder.left_out()},
          {"left_out_from_us", micro(recorder.left_out_from())}};
}

}  // namespace launch
