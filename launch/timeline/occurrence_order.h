// One order of what happens in several domains.
#pragma once

#include <cstddef>
#include <vector>

#include "corespec/events/observer.h"
#include "launch/timeline/occurrence_packing.h"
#include "launch/timeline/timeline_recorder.h"

namespace launch {

/// Domains run in an order of the engine's, which tells nothing. What has been told in them is
/// taken out by the moment of the domain at which it was told, then by node, then as the node has
/// told it.
class OccurrenceOrder {
 public:
  /// `window`: what does not concern it is not kept. All that comes before it does, since it may
  /// go on within it.
  explicit OccurrenceOrder(TimelineWindow window) : window_(std::move(window)) {}

  void add(const TimedOccurrence& timed) {
    if (concerns(timed.occurrence)) waiting_.push_back(timed);
  }
  /// Occurrences that have not been taken out.
  std::size_t size() const { return waiting_.size(); }
  /// Those before `time`, in order; what is added later is none of them.
  std::vector<TimedOccurrence> take_before(corespec::Time time);

 private:
  bool concerns(const corespec::Occurrence& occurrence) const;

  TimelineWindow window_;
  std::vector<TimedOccurrence> waiting_;  ///< those of each node in its own order
};

}  // namespace launch
