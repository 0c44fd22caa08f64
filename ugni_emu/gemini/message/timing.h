// What every router and port of a network computes with, from the parameter table.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/phits.h"
#include "ugni_emu/gemini/links/link_bandwidth.h"
#include "ugni_emu/gemini/links/network_faults.h"
#include "ugni_emu/gemini/links/rate.h"
#include "ugni_emu/gemini/port/largest_segment.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// The class of a link, the host port or Netlink: which of Timing's rates a link has.
using RateIndex = LinkClassId;
inline constexpr RateIndex kHostRate = 15;
inline constexpr RateIndex kNetlinkRate = 14;

/// One for a whole network, read everywhere and never changed.
struct Timing {
  Timing(const corespec::Parameters& parameters, const Topology& shape)
      : topology(shape),
        format(parameters),
        hop(parameters.hop_latency),
        nic_to_router(parameters.nic_to_router_latency),
        loopback(parameters.memory_latency),
        nic(1, parameters.nic_bandwidth),
        outstanding_limit(parameters.nic_window),
        piece(largest_segment(parameters, std::numeric_limits<std::uint32_t>::max())),
        hashes(parameters.tile_choice == "hashed" || parameters.tile_choice == "adaptive") {
    const std::vector<LinkClass>& classes = topology.link_classes();
    if (classes.size() > kNetlinkRate) throw std::length_error("too many classes of links");
    for (std::size_t at = 0; at < classes.size(); ++at) {
      phits[at] = Rate(parameters.phit_bytes, link_bandwidth(parameters, classes[at]));
    }
    phits[kHostRate] = Rate(parameters.phit_bytes, host_bandwidth(parameters));
    phits[kNetlinkRate] = Rate(parameters.phit_bytes, parameters.netlink_bandwidth);
  }

  const Topology& topology;
  PacketFormat format;
  std::array<Rate, kHostRate + 1> phits;  ///< per phit, by RateIndex
  corespec::Time hop;                     ///< head, router to router
  corespec::Time nic_to_router;           ///< head, per end
  corespec::Time loopback;                ///< a NIC to itself, one way
  Rate nic;                               ///< per payload byte
  std::int64_t outstanding_limit;         ///< requests a NIC may have unanswered
  std::uint32_t piece;                    ///< largest segment
  bool hashes;                            ///< packets of a flow take several tiles
  const NetworkFaults* faults = nullptr;  ///< null: nothing is lost
};

}  // namespace gemini
