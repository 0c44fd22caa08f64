// How fidelity `message` carries a NIC's segments: through the NIC's cap into its router.
#pragma once

#include <cstdint>

#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/message/segment.h"
#include "ugni_emu/gemini/message/timing.h"
#include "ugni_emu/gemini/port/nic_port.h"

namespace gemini {

class Router;

/// See Carrier. Holds the NIC's own cap, per direction.
class MessageCarrier {
 public:
  using Segment = gemini::Segment;

  MessageCarrier(Router& router, const Timing& timing) : router_(router), timing_(timing) {}

  corespec::EventDomain& domain() const;
  Segment& take(unsigned nic);
  void put(Segment& segment);
  const PacketFormat& format() const { return timing_.format; }
  bool numbers_packets() const { return timing_.hashes; }
  NicCounters* counters(Nid nid) const;
  telemetry::NetworkRecords* records() const;
  void note_response(Segment& segment);
  void note_arrival(const Segment& segment, unsigned nic);
  std::uint32_t piece() const { return timing_.piece; }
  std::int64_t outstanding_limit() const { return timing_.outstanding_limit; }
  bool reaches(Nid nid) const { return timing_.topology.contains(nid); }
  corespec::Time send(Segment& segment, const Weight& weight, Nid to,
                      corespec::EventSource& source);
  corespec::Time send_local(Segment& segment, const Weight& weight, corespec::EventSource& source);

  // Where pieces can be lost.
  bool has_way(Nid nid) const;
  void give_back(Segment& segment, corespec::EventSource& source);
  void give_up(Segment& segment, corespec::EventSource& source);
  FaultCounts& fault_counts();

  /// Ejection: a segment has passed the host port as `passage`; how it enters the NIC.
  /// `timing` is the router's: the carrier's own pointer to it would be one more line of memory.
  Passage eject(const Timing& timing, const Segment& segment, Passage passage) {
    return in_.serve(segment.channel, timing.nic.time(segment.nic_bytes), passage);
  }

 private:
  friend struct MessagePrefetch;
  void go_back(Segment& segment, Segment::WayBack where, corespec::EventSource& source);
  Router& router_;
  const Timing& timing_;
  Server out_, in_;
};

/// A NIC's port in fidelity `message`.
using MessagePort = NicPort<MessageCarrier>;
extern template class NicPort<MessageCarrier>;  // where the carrier's functions are

}  // namespace gemini
