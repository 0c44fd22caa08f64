// Between a router's NICs and its host tiles, both ways.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/packet/packet_queue.h"
#include "ugni_emu/gemini/packet/packet_segment.h"
#include "ugni_emu/gemini/packet/packet_timing.h"
#include "ugni_emu/gemini/port/segment_queue.h"

namespace gemini {

/// Cuts what NICs send into packets and gives them to host tiles as these have room, NICs and
/// channels in turns; holds what comes for a NIC until the NIC has taken it in. Part of a router.
class HostPort {
 public:
  HostPort(const PacketTiming& timing, PacketRouter& router);

  /// A segment is here that leaves NIC `nic`.
  void accept(PacketSegment& segment, unsigned nic);
  /// Packets leave, as far as they can. If a later one can, an event comes at that time.
  void inject();
  /// That event is here.
  void injection_is_due();
  /// An input buffer of a host tile has room again.
  void add_credit(unsigned tile, Slot slot, std::uint32_t phits);

  /// Whether the NIC that the packet is for has room for it; if not, an event tells when.
  bool has_room(const Packet& packet);
  /// The packet leaves a host tile for its NIC, which has room, between `begin` and `end`.
  void deliver(Packet& packet, corespec::Time begin, corespec::Time end);
  /// A packet for one of the NICs will not come.
  void account_for_lost(Packet& packet);
  /// A segment that comes from another of the router's NICs, past all tiles.
  void deliver_by_netlink(PacketSegment& segment);
  /// A NIC's room is to be looked at again.
  void room_is_due(unsigned nic, Slot slot);

  /// For the end of a run: packets that NICs have taken in and not accounted for yet, and room that
  /// is missing, theirs not counted.
  struct Held {
    std::size_t taken = 0;
    std::int64_t missing_phits = 0;
  };
  Held held() const;

 private:
  /// What comes for a NIC.
  struct Reception {
    Server server;                        ///< takes it in
    std::array<std::uint32_t, 2> room{};  ///< phits, per channel
    std::array<PacketQueue, 2> taken;     ///< their phits are free at their `head`
    std::array<bool, 2> wanted{};         ///< an event tells when there is room
  };
  void settle(Reception& reception, corespec::Time now);
  static unsigned nic_of(const Packet& packet);
  bool choose_tile(const PacketSegment& segment, std::uint32_t phits, corespec::Time now,
                   unsigned& tile, corespec::Time& next) const;
  void cut(PacketSegment& segment, std::uint32_t phits, unsigned tile);
  void account_for(PacketSegment& segment);
  void finish(PacketSegment& segment, corespec::Time delivered);

  const PacketTiming& timing_;
  PacketRouter& router_;

  // NICs to tiles.
  std::vector<SegmentQueue<PacketSegment>> leaving_;   ///< by NIC and channel
  std::vector<corespec::Time> free_at_;                ///< by tile: it takes the next packet then
  std::vector<std::array<std::uint32_t, 2>> credits_;  ///< by tile and channel
  unsigned turn_ = 0;
  corespec::Time due_ = corespec::Time::max();  ///< when the next event for inject() comes

  std::vector<Reception> receptions_;  ///< by NIC
};

}  // namespace gemini
