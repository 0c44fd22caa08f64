// What people read beside a timeline's rows.
#pragma once

#include <string>

#include "launch/timeline/timeline_sink.h"

namespace launch {

/// True of a rank's own row, of its thread; others belong to their node.
constexpr bool of_rank(const TimelineTrack& track) {
  return track.kind == TimelineTrack::Kind::thread && track.rank >= 0;
}

/// "rank 3 (node 1)" or "node 1: CPUs, NIC".
std::string group_name(const TimelineTrack& track);

/// "main thread", "progress thread", "CPU 3", "NIC: BTE 0". `first_of_rank`: it is the first of its
/// rank's threads that is heard of.
std::string row_name(const TimelineTrack& track, bool first_of_rank);

/// The span's own: "MPI_Send", "rank 3", "progress thread of rank 3".
std::string span_name(const TimelineSpan& span);

}  // namespace launch
