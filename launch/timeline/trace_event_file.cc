// Writes a timeline in the JSON trace event format.
#include "launch/timeline/trace_event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

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

/// A length that, added to `begin` by a reader that calculates in floating point, does not go
/// beyond `end`: there the next span may begin, which would look as if it were within this one.
double us_between(Time begin, Time end) {
  double length = end.us() - begin.us();
  while (length > 0 && begin.us() + length > end.us()) length = std::nextafter(length, 0.0);
  return length;
}

}  // namespace

TraceEventFile::TraceEventFile(const std::string& option, const std::string& name)
    : option_(option), name_(name), stream_(std::fopen(name.c_str(), "we")) {
  if (stream_ == nullptr) refuse();
  fmt::print(stream_, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

TraceEventFile::~TraceEventFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void TraceEventFile::refuse() const {
  throw std::runtime_error(
      fmt::format("{} {}: {}", option_, corespec::printable(name_), std::strerror(errno)));
}

void TraceEventFile::name(const Place& place, const TimelineTrack& track) {
  const bool first = !std::exchange(processes_[place.process], true);
  if (first) {
    fmt::print(
        stream_,
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"{}"
        "\"}}}},\n",
        place.process, group_name(track));
    fmt::print(stream_,
               "{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":\"process_sort_index\",\"args\":{{"
               "\"sort_index\":{}}}}},\n",
               place.process, place.process);
  }
  fmt::print(
      stream_,
      "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}"
      "\"}}}},\n",
      place.process, place.thread, row_name(track, of_rank(track) && first));
  fmt::print(stream_,
             "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{"
             "\"sort_index\":{}}}}},\n",
             place.process, place.thread, place.thread);
}

TraceEventFile::Place TraceEventFile::place_of(const TimelineTrack& track) {
  const auto [found, fresh] = places_.try_emplace(track);
  Place& place = found->second;
  if (!fresh) return place;
  const bool of_rank = track.kind == TimelineTrack::Kind::thread && track.rank >= 0;
  place.process =
      of_rank ? first_rank + static_cast<std::uint64_t>(track.rank) : first_node + track.nid;
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
  fmt::print(
      stream_,
      "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"cat\":\"{}\",\"name\":\"{}"
      "\"{}}},\n",
      place.process, place.thread, span.begin.us(), us_between(span.begin, span.end), span.category,
      span_name(span), arguments);
}

void TraceEventFile::arrow(const TimelineArrow& arrow) {
  const Place from = place_of(arrow.from);
  const Place to = place_of(arrow.to);
  const std::uint64_t id = ++arrows_;
  const std::string name = fmt::format("{} {} B", arrow.protocol, arrow.bytes);
  const auto end = [&](const char* phase, const Place& place, Time at, const char* more) {
    fmt::print(stream_,
               "{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"message\","
               "\"name\":\"{}\"{}}},\n",
               phase, id, place.process, place.thread, at.us(), name, more);
  };
  end("s", from, arrow.sent, "");
  end("f", to, arrow.received, ",\"bp\":\"e\"");
}

void TraceEventFile::add(const std::string& events) {
  std::fwrite(events.data(), 1, events.size(), stream_);
}

void TraceEventFile::close(const std::string& run) {
  // The last event, so that no comma is left over.
  fmt::print(stream_,
             "{{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\""
             "Castor\"}}}}\n],\"otherData\":{}}}\n",
             run);
  std::FILE* const stream = std::exchange(stream_, nullptr);
  const bool failed = std::ferror(stream) != 0;
  if (std::fclose(stream) != 0 || failed) refuse();
}

}  // namespace launch
