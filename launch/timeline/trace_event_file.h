// A timeline as a file for Chrome's tracing, Perfetto and speedscope: the JSON trace event format.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "launch/timeline/timeline_sink.h"

namespace launch {

/// Writes as spans and arrows come: a process to each rank, with its threads, and one to each node,
/// with its CPUs and its NIC.
class TraceEventFile final : public TimelineSink {
 public:
  /// Opens the file: one that cannot be written ends the run before it begins. Throws
  /// std::runtime_error with one line: option, file, why.
  /// corespec::open_output() opens the file, with this patience.
  TraceEventFile(const std::string& option, const std::string& name, double patience_s = 0);
  ~TraceEventFile();
  TraceEventFile(const TraceEventFile&) = delete;
  TraceEventFile& operator=(const TraceEventFile&) = delete;

  void span(const TimelineSpan& span) override;
  void arrow(const TimelineArrow& arrow) override;
  /// Ends the file; `run`: JSON that says which run it was. Throws as the constructor does.
  void close(const std::string& run);

 private:
  /// A track's process and thread, in the file's numbers.
  struct Place {
    std::uint64_t process = 0;
    std::uint64_t thread = 0;
  };
  Place place_of(const TimelineTrack& track);
  void name(const Place& place, const TimelineTrack& track);
  [[noreturn]] void refuse(int error) const;
  void put(std::string_view text);
  /// Another event of the list.
  template <typename... Values>
  void event(fmt::format_string<Values...> format, Values&&... values);

  std::string option_, name_;
  std::FILE* stream_;
  std::map<TimelineTrack, Place> places_;
  std::map<std::uint64_t, bool> processes_;  ///< that have their name
  std::uint64_t arrows_ = 0;
  bool any_ = false;  ///< the list has an event
  int error_ = 0;     ///< the first; 0: none
};

}  // namespace launch
