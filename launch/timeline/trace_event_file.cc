// Writes a timeline in the JSON trace event format.
#include "launch/timeline/trace_event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "corespec/host/output_file.h"
#include "corespec/host/printable.h"
#include "launch/timeline/track_names.h"

namespace launch {
namespace {

using corespec::Time;

// Numbers of processes: ranks from 1 on, nodes behind all of them.
constexpr std::uint64_t first_rank = 1;
constexpr std::uint64_t first_node = 10'000'000;
// Numbers of a node's tracks.
constexpr std::uint64_t first_kernel = 10'000;
constexpr std::uint64_t first_injector = 20'000;

/// A length that, added to `begin` by a reader that calculates in floating point, ends just before
/// `end`: there the next span may begin, or one that takes no time, which would look as if it were
/// within this one.
double us_between(Time begin, Time end) {
  const double just_before = std::nextafter(end.us(), 0.0);
  return std::max(0.0, just_before - begin.us());
}

}  // namespace

TraceEventFile::TraceEventFile(const std::string& option, const std::string& name,
                               double patience_s)
    : option_(option), name_(name), stream_(corespec::open_output(option, name, patience_s)) {
  put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

TraceEventFile::~TraceEventFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void TraceEventFile::refuse(int error) const {
  throw std::runtime_error(
      fmt::format("{} {}: {}", option_, corespec::printable(name_), std::strerror(error)));
}

/// Within the run: what fails is told at its end.
void TraceEventFile::put(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream_) == text.size();
  if (!written && error_ == 0) error_ = errno;
}

template <typename... Values>
void TraceEventFile::event(fmt::format_string<Values...> format, Values&&... values) {
  fmt::memory_buffer text;
  text.append(std::string_view(std::exchange(any_, true) ? ",\n" : ""));
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  put({text.data(), text.size()});
}

void TraceEventFile::name(const Place& place, const TimelineTrack& track) {
  const bool first = !std::exchange(processes_[place.process], true);
  if (first) {
    event(
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"{}"
        "\"}}}}",
        place.process, group_name(track));
    event(
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_sort_index\",\"args\":{{"
        "\"sort_index\":{}}}}}",
        place.process, place.process);
  }
  event(
      "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}"
      "\"}}}}",
      place.process, place.thread, row_name(track, of_rank(track) && first));
  event(
      "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{"
      "\"sort_index\":{}}}}}",
      place.process, place.thread, place.thread);
}

TraceEventFile::Place TraceEventFile::place_of(const TimelineTrack& track) {
  const auto [found, fresh] = places_.try_emplace(track);
  Place& place = found->second;
  if (!fresh) return place;
  place.process =
      of_rank(track) ? first_rank + static_cast<std::uint64_t>(track.rank) : first_node + track.nid;
  switch (track.kind) {
    case TimelineTrack::Kind::thread:
      place.thread = 30'000 + std::uint64_t{track.number};
      break;
    case TimelineTrack::Kind::cpu:
      place.thread = 1 + std::uint64_t{track.number};
      break;
    case TimelineTrack::Kind::kernel:
      place.thread = first_kernel + track.number;
      break;
    case TimelineTrack::Kind::nic:
      place.thread = first_injector + track.number;
      break;
  }
  name(place, track);
  return place;
}

void TraceEventFile::span(const TimelineSpan& span) {
  const Place place = place_of(span.track);
  std::string arguments;
  if (span.track.kind == TimelineTrack::Kind::nic) {
    arguments = fmt::format(",\"args\":{{\"bytes\":{},\"to_nid\":{}}}", span.bytes, span.peer);
  }
  // What takes no time is an instant: as a span it could be within the next one for a reader.
  const std::string time = span.begin == span.end
                               ? fmt::format("\"ph\":\"i\",\"s\":\"t\",\"ts\":{}", span.begin.us())
                               : fmt::format("\"ph\":\"X\",\"ts\":{},\"dur\":{}", span.begin.us(),
                                             us_between(span.begin, span.end));
  event("{{{},\"pid\":{},\"tid\":{},\"cat\":\"{}\",\"name\":\"{}\"{}}}", time, place.process,
        place.thread, span.category, span_name(span), arguments);
}

void TraceEventFile::arrow(const TimelineArrow& arrow) {
  const Place from = place_of(arrow.from);
  const Place to = place_of(arrow.to);
  const std::uint64_t id = ++arrows_;
  const std::string name = fmt::format("{} {} B", arrow.protocol, arrow.bytes);
  const auto end = [&](const char* phase, const Place& place, Time at, const char* more) {
    event(
        "{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"message\","
        "\"name\":\"{}\"{}}}",
        phase, id, place.process, place.thread, at.us(), name, more);
  };
  end("s", from, arrow.sent, "");
  end("f", to, arrow.received, ",\"bp\":\"e\"");
}

void TraceEventFile::close(const std::string& run) {
  put("\n],\"otherData\":");
  put(run);
  put("}\n");
  std::FILE* const stream = std::exchange(stream_, nullptr);
  if (std::fclose(stream) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) refuse(error_);
}

}  // namespace launch
