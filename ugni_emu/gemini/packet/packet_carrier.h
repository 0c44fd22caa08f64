// How fidelity `packet` carries a NIC's segments: through the NIC's cap to its router's host tiles.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/packet/packet_segment.h"
#include "ugni_emu/gemini/packet/packet_timing.h"
#include "ugni_emu/gemini/port/nic_port.h"

namespace gemini {

/// See Carrier. Holds the NIC's own cap and its way out through Netlink.
class PacketCarrier {
 public:
  using Segment = PacketSegment;

  PacketCarrier(PacketRouter& router, const PacketTiming& timing)
      : router_(router), timing_(timing) {}

  corespec::EventDomain& domain() const;
  PacketSegment& take(unsigned nic);
  void put(PacketSegment& segment);
  const PacketFormat& format() const { return timing_.format; }
  bool numbers_packets() const { return true; }
  NicCounters* counters(Nid nid) const;
  telemetry::NetworkRecords* records() const { return nullptr; }
  void note_response(PacketSegment&) {}
  void note_arrival(const PacketSegment&, unsigned) {}
  std::uint32_t piece() const { return timing_.piece; }
  std::int64_t outstanding_limit() const { return timing_.outstanding_limit; }
  bool reaches(Nid nid) const { return timing_.topology.contains(nid); }
  /// The pace is that of the whole host port: what stalls in the router queues there, up to the
  /// outstanding limit.
  corespec::Time send(PacketSegment& segment, const Weight& weight, Nid to,
                      corespec::EventSource& source);
  corespec::Time send_local(PacketSegment& segment, const Weight& weight,
                            corespec::EventSource& source);

  // Where pieces can be lost.
  bool has_way(Nid nid) const;
  void give_back(PacketSegment& segment, corespec::EventSource& source);
  void give_up(PacketSegment& segment, corespec::EventSource& source);
  FaultCounts& fault_counts();

 private:
  void go_back(PacketSegment& segment, Nid to, corespec::EventSource& source);

  PacketRouter& router_;
  const PacketTiming& timing_;
  Server out_, netlink_;
};

/// A NIC's port in fidelity `packet`.
using PacketPort = NicPort<PacketCarrier>;
extern template class NicPort<PacketCarrier>;  // where the carrier's functions are

}  // namespace gemini
