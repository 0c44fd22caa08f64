// What every router and port of a network computes with in fidelity `packet`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/phits.h"
#include "ugni_emu/gemini/links/network_faults.h"
#include "ugni_emu/gemini/links/rate.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// One for a whole network, read everywhere and never changed.
///
/// A packet goes over one tile of each link, which takes several times as long as all of the link's
/// tiles together. The published latencies between NIC and router hold for whole transfers: they
/// are made of that time, too. So what one tile takes longer than the whole host port for a full
/// packet, `reception`, is taken off the two ends' latencies, and the NIC has a packet so much
/// later than its first phit, and than all of the port's tiles together would have brought it.
/// That makes times on a quiet network those of fidelity `message`, whatever a packet's size.
struct PacketTiming {
  /// Throws std::invalid_argument if a buffer is smaller than a packet, or the ends' latency
  /// shorter than a packet's reception.
  PacketTiming(const corespec::Parameters& parameters, const Topology& shape);

  /// How many whole cycles `time` is: what a packet keeps of how long it lasts.
  std::uint16_t cycles(corespec::Time time) const {
    constexpr std::int64_t most = std::numeric_limits<std::uint16_t>::max();
    return static_cast<std::uint16_t>(std::min(time / cycle, most));
  }

  const Topology& topology;
  PacketFormat format;
  std::vector<Rate> link_tiles;          ///< per phit: a tile of each class of links
  std::vector<std::uint8_t> link_width;  ///< tiles of each class of links
  Rate host_tile, host_port, netlink;    ///< per phit
  Rate nic;                              ///< per payload byte
  unsigned host_width = 0;               ///< tiles
  corespec::Time hop;                    ///< head, router to router; a credit takes as long
  corespec::Time nic_to_router;          ///< head, per end, of what passes no tile
  corespec::Time reception;              ///< see above
  corespec::Time end;                    ///< head, per end, of what passes tiles
  corespec::Time loopback;               ///< a NIC to itself, one way
  corespec::Time cycle;                  ///< a phit across a router
  std::int64_t outstanding_limit = 0;    ///< requests a NIC may have unanswered
  std::uint32_t piece = 0;               ///< largest segment
  std::uint32_t input_phits = 0, output_phits = 0, nic_phits = 0;  ///< that each buffer holds
  std::string choice;                                              ///< CASTOR_TILE_CHOICE
  const NetworkFaults* faults = nullptr;                           ///< null: nothing goes wrong
};

}  // namespace gemini
