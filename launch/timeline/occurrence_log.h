// The occurrences of one rank's process, and those of several put together.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "corespec/containers/text_table.h"
#include "corespec/events/observer.h"
#include "launch/timeline/occurrence_packing.h"
#include "launch/timeline/timeline_recorder.h"

namespace launch {

/// Keeps what a timeline needs of one rank's process, within a window.
class OccurrenceLog final : public corespec::Observer {
 public:
  /// `window.most`: of occurrences; the first ones are kept.
  explicit OccurrenceLog(TimelineWindow window) : window_(std::move(window)) {}
  void observe(const corespec::Occurrence& occurrence) override;
  /// As bytes, for an OccurrenceList.
  std::string packed() const;

 private:
  TimelineWindow window_;
  std::unordered_map<std::uint32_t, corespec::Occurrence> before_;  ///< calls begun, by thread
  std::vector<corespec::Occurrence> kept_;
};

/// What several packed() have made.
class OccurrenceList {
 public:
  /// `texts`: as an OccurrenceReader's.
  explicit OccurrenceList(corespec::TextTable& texts) : texts_(&texts) {}
  /// Adds them. Throws std::runtime_error if `packed` is not what packed() makes.
  void add(const std::string& packed);
  /// By time, of equal ones in the order in which they were added.
  std::vector<corespec::Occurrence>& in_order();

 private:
  corespec::TextTable* texts_;
  std::vector<corespec::Occurrence> all_;
};

}  // namespace launch
