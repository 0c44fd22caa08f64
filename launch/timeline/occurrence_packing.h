// Occurrences on their way from the process that hears of them to the launcher's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corespec/containers/text_table.h"
#include "corespec/events/observer.h"

namespace launch {

/// An occurrence, and by what moment it stands in the order of all.
struct TimedOccurrence {
  corespec::Time at;
  corespec::Occurrence occurrence;
};

/// False of kinds that no timeline shows.
bool of_timeline(corespec::Occurrence::Kind kind);

/// Occurrences as bytes, in parcels. A text is in the first parcel that needs it.
class OccurrencePacker {
 public:
  void add(const TimedOccurrence& timed);
  /// A parcel of what has been added since the last one, for the reader of the same build.
  std::string take();

 private:
  struct Packed {
    TimedOccurrence timed;
    std::uint64_t call = 0;
    std::uint64_t protocol = 0;
  };
  friend class OccurrenceReader;
  std::uint64_t number_of(const char* text);

  std::unordered_map<const char*, std::uint64_t> numbers_;
  std::uint64_t new_texts_ = 0;
  std::string texts_;  ///< that are new, each with a zero byte
  std::vector<Packed> all_;
};

/// Reads the parcels of one packer, in their order.
class OccurrenceReader {
 public:
  /// `texts`: gets those that the occurrences point to; spans and arrows of a timeline point there,
  /// too.
  explicit OccurrenceReader(corespec::TextTable& texts) : kept_(&texts) {}

  using Take = std::function<void(const TimedOccurrence& timed)>;
  /// Throws std::runtime_error if `parcel` is not what the packer makes.
  void read(std::string_view parcel, const Take& take);

 private:
  std::string_view read_texts(std::string_view bytes, std::uint64_t count);

  corespec::TextTable* kept_;
  std::vector<const char*> texts_{nullptr};  ///< by number
};

}  // namespace launch
