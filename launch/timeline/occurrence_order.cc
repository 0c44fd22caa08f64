// One order of what happens in several domains.
#include "launch/timeline/occurrence_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace launch {

using corespec::Occurrence;

bool OccurrenceOrder::concerns(const Occurrence& occurrence) const {
  if (!of_timeline(occurrence.kind) || occurrence.begin > window_.to) return false;
  if (occurrence.kind == Occurrence::Kind::message_sent ||
      occurrence.kind == Occurrence::Kind::message_received) {
    return window_.holds_rank(occurrence.rank) || window_.holds_rank(occurrence.peer);
  }
  return window_.holds_node(occurrence.place);
}

std::vector<TimedOccurrence> OccurrenceOrder::take_before(corespec::Time time) {
  const auto later =
      std::stable_partition(waiting_.begin(), waiting_.end(),
                            [&](const TimedOccurrence& each) { return each.at < time; });
  std::vector<TimedOccurrence> taken(std::make_move_iterator(waiting_.begin()),
                                     std::make_move_iterator(later));
  waiting_.erase(waiting_.begin(), later);
  std::stable_sort(taken.begin(), taken.end(),
                   [](const TimedOccurrence& one, const TimedOccurrence& other) {
                     return std::pair(one.at, one.occurrence.place) <
                            std::pair(other.at, other.occurrence.place);
                   });
  return taken;
}

}  // namespace launch
