// Occurrences of ranks' processes.
#include "launch/timeline/occurrence_log.h"

#include <algorithm>

namespace launch {

using corespec::Occurrence;

void OccurrenceLog::observe(const Occurrence& occurrence) {
  if (!of_timeline(occurrence.kind) || occurrence.begin > window_.to) return;
  if (occurrence.end < window_.from) {
    // The call that is under way when the window begins.
    if (occurrence.kind == Occurrence::Kind::call_begun) before_[occurrence.thread] = occurrence;
    return;
  }
  if (kept_.size() < window_.most) kept_.push_back(occurrence);
}

std::string OccurrenceLog::packed() const {
  OccurrencePacker packer;
  for (const auto& [thread, each] : before_) packer.add({each.begin, each});
  for (const Occurrence& each : kept_) packer.add({each.begin, each});
  return packer.take();
}

void OccurrenceList::add(const std::string& packed) {
  OccurrenceReader(*texts_).read(
      packed, [this](const TimedOccurrence& timed) { all_.push_back(timed.occurrence); });
}

std::vector<Occurrence>& OccurrenceList::in_order() {
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Occurrence& a, const Occurrence& b) { return a.begin < b.begin; });
  return all_;
}

}  // namespace launch
