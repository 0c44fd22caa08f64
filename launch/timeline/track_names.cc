// What people read beside a timeline's rows.
#include "launch/timeline/track_names.h"

#include <fmt/format.h>

#include <string_view>

#include "corespec/threads/thread.h"

namespace launch {

using corespec::ThreadRole;

std::string group_name(const TimelineTrack& track) {
  return of_rank(track) ? fmt::format("rank {} (node {})", track.rank, track.nid)
                        : fmt::format("node {}: CPUs, NIC", track.nid);
}

std::string row_name(const TimelineTrack& track, bool first_of_rank) {
  switch (track.kind) {
    case TimelineTrack::Kind::thread:
      switch (static_cast<ThreadRole>(track.role)) {
        case ThreadRole::progress:
          return "progress thread";
        case ThreadRole::helper:
          return "helper thread";
        case ThreadRole::application:
        case ThreadRole::daemon:
          break;
      }
      return first_of_rank ? "main thread" : fmt::format("thread {}", track.number);
    case TimelineTrack::Kind::cpu:
      return fmt::format("CPU {}", track.number);
    case TimelineTrack::Kind::kernel:
      return fmt::format("CPU {}: interrupts, noise", track.number);
    case TimelineTrack::Kind::nic:
      return track.number == 0 ? "NIC: FMA" : fmt::format("NIC: BTE {}", track.number - 1);
  }
  return {};
}

std::string span_name(const TimelineSpan& span) {
  if (span.track.kind != TimelineTrack::Kind::cpu || span.peer < 0) return span.name;
  const std::string_view name = span.name;
  return fmt::format("{}{} {}", name, name == "rank" ? "" : " of rank", span.peer);
}

}  // namespace launch
