// What a timeline consists of: spans on tracks, and arrows between them.
#pragma once

#include <compare>
#include <cstdint>

#include "corespec/time/time.h"

namespace launch {

/// A row of the picture.
struct TimelineTrack {
  enum class Kind : std::uint8_t {
    thread,  ///< of a rank: its library calls; of a progress or helper thread: when it has a CPU
    cpu,     ///< of a node: the thread that has it
    kernel,  ///< of a node's CPU: interrupts and noise
    nic      ///< of a node: number 0 FMA, 1 and more the BTE's channels
  };
  Kind kind = Kind::thread;
  std::uint8_t role = 0;   ///< a thread's, a corespec::ThreadRole
  std::int32_t rank = -1;  ///< a thread's
  std::uint32_t nid = 0;
  std::uint32_t number = 0;  ///< of the thread on its node, of the CPU, of the injector
  auto operator<=>(const TimelineTrack&) const = default;
};

/// Something that took from `begin` to `end`. Its texts are literals, or an occurrence's.
struct TimelineSpan {
  TimelineTrack track;
  corespec::Time begin, end;
  const char* name = "";      ///< of the call, of what has the CPU, of what the kernel does
  const char* category = "";  ///< "call", "lock", "cpu", "interrupt", "noise", "nic"
  std::int32_t peer = -1;     ///< cpu: the rank whose thread it is; nic: the target's nid
  std::uint64_t bytes = 0;    ///< nic
};

/// A message from where it set out to where it was complete.
struct TimelineArrow {
  TimelineTrack from, to;
  corespec::Time sent, received;
  const char* protocol = "";
  std::uint64_t bytes = 0;
};

/// Takes a timeline in, in the order in which spans and arrows end.
class TimelineSink {
 public:
  virtual void span(const TimelineSpan& span) = 0;
  virtual void arrow(const TimelineArrow& arrow) = 0;

 protected:
  ~TimelineSink() = default;
};

}  // namespace launch
