// Makes spans and arrows of what happens.
#include "launch/timeline/timeline_recorder.h"

#include <algorithm>

#include "corespec/threads/thread.h"

namespace launch {

using corespec::Occurrence;
using corespec::ThreadRole;
using corespec::Time;

namespace {

constexpr const char* in_call = "call";
constexpr const char* on_cpu = "cpu";

bool is_program(std::uint8_t role) {
  return role == static_cast<std::uint8_t>(ThreadRole::application);
}

const char* name_of_role(std::uint8_t role) {
  switch (static_cast<ThreadRole>(role)) {
    case ThreadRole::application:
      return "rank";
    case ThreadRole::progress:
      return "progress thread";
    case ThreadRole::helper:
      return "helper thread";
    case ThreadRole::daemon:
      return "daemon";
  }
  return "thread";
}

}  // namespace

TimelineTrack TimelineRecorder::thread_track(const Occurrence& occurrence) const {
  TimelineTrack track;
  track.role = occurrence.role;
  track.rank = occurrence.rank;
  track.nid = occurrence.place;
  track.number = occurrence.thread;
  return track;
}

void TimelineRecorder::observe(const Occurrence& occurrence) {
  using Kind = Occurrence::Kind;
  TimelineTrack place;
  place.nid = occurrence.place;
  place.number = occurrence.part;
  switch (occurrence.kind) {
    case Kind::call_begun:
      // A library's own thread has a row for when it runs.
      if (!is_program(occurrence.role) || occurrence.call == nullptr) return;
      return begin(thread_track(occurrence), {occurrence.begin, occurrence.call, occurrence.rank});
    case Kind::call_ended:
      if (!is_program(occurrence.role) || occurrence.call == nullptr) return;
      return finish(thread_track(occurrence), occurrence.begin, in_call);
    case Kind::thread_lost:
      return finish(thread_track(occurrence), occurrence.begin,
                    is_program(occurrence.role) ? in_call : on_cpu);
    case Kind::thread_switched:
      place.kind = TimelineTrack::Kind::cpu;
      begin(place, {occurrence.begin, name_of_role(occurrence.role), occurrence.rank});
      if (!is_program(occurrence.role)) {
        begin(thread_track(occurrence),
              {occurrence.begin, name_of_role(occurrence.role), occurrence.rank});
      }
      return;
    case Kind::thread_left:
      place.kind = TimelineTrack::Kind::cpu;
      finish(place, occurrence.begin, on_cpu);
      if (!is_program(occurrence.role)) finish(thread_track(occurrence), occurrence.begin, on_cpu);
      return;
    case Kind::interrupt_raised:
    case Kind::noise: {
      // What takes a CPU that the kernel has already comes after that.
      const bool noise = occurrence.kind == Kind::noise;
      place.kind = TimelineTrack::Kind::kernel;
      Time& busy_until = kernel_until_[place];
      const Time begin = std::max(occurrence.begin, busy_until);
      busy_until = begin + (occurrence.end - occurrence.begin);
      return span({place, begin, busy_until, noise ? occurrence.call : "interrupt handler",
                   noise ? "noise" : "interrupt"});
    }
    case Kind::lock_waited:
      return span(
          {thread_track(occurrence), occurrence.begin, occurrence.end, "waits for a lock", "lock"});
    case Kind::injected:
      place.kind = TimelineTrack::Kind::nic;
      return span({place, occurrence.begin, occurrence.end, occurrence.part == 0 ? "FMA" : "BTE",
                   "nic", static_cast<std::int32_t>(occurrence.target), occurrence.bytes});
    case Kind::message_sent:
      if (occurrence.begin >= window_.from && occurrence.begin <= window_.to &&
          (window_.holds_rank(occurrence.rank) || window_.holds_rank(occurrence.peer))) {
        sent_[{occurrence.rank, occurrence.peer, occurrence.key}] = {thread_track(occurrence),
                                                                     occurrence.begin};
      }
      return;
    case Kind::message_received:
      return arrow(occurrence);
    case Kind::posted:
    case Kind::link_passed:
    case Kind::delivered:
    case Kind::event_queued:
    case Kind::transfer_posted:
      return;
  }
}

bool TimelineRecorder::has_room(Time at) {
  if (written_ < window_.most) {
    ++written_;
    return true;
  }
  if (left_out_++ == 0) left_out_from_ = at;
  return false;
}

void TimelineRecorder::finish(const TimelineTrack& track, Time at, const char* category) {
  const auto found = open_.find(track);
  if (found == open_.end()) return;
  const Begun begun = found->second;
  open_.erase(found);
  span({track, begun.at, at, begun.name == nullptr ? "" : begun.name, category, begun.rank});
}

void TimelineRecorder::span(const TimelineSpan& span) {
  if (span.end < window_.from || span.begin > window_.to) return;
  const bool wanted = span.track.kind == TimelineTrack::Kind::thread
                          ? window_.holds_rank(span.track.rank)
                          : window_.holds_node(span.track.nid);
  if (!wanted || !has_room(span.begin)) return;
  TimelineSpan within = span;
  within.begin = std::max(within.begin, window_.from);
  within.end = std::max(within.begin, std::min(within.end, window_.to));
  sink_->span(within);
}

void TimelineRecorder::arrow(const Occurrence& received) {
  const auto found = sent_.find({received.peer, received.rank, received.key});
  if (found == sent_.end()) return;
  const Sent sent = found->second;
  sent_.erase(found);
  if (received.begin > window_.to || !has_room(sent.at)) return;
  sink_->arrow({sent.track, thread_track(received), sent.at, received.begin, received.protocol,
                received.bytes});
}

void TimelineRecorder::end(Time at) {
  while (!open_.empty()) {
    const TimelineTrack track = open_.begin()->first;
    finish(track, std::max(at, open_.begin()->second.at),
           track.kind == TimelineTrack::Kind::thread && is_program(track.role) ? in_call : on_cpu);
  }
}

}  // namespace launch
