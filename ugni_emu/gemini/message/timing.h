// What every router and port of a network computes with, from the parameter table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/links.h"
#include "ugni_emu/gemini/links/rate.h"
#include "ugni_emu/gemini/packets/phits.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {

/// Largest segment in bytes: whole packets (or phit counts would depend on where a transfer is
/// cut), and no more of them than the window has (or it could never be injected).
inline std::uint32_t largest_segment(const corespec::Parameters& parameters) {
  const std::int64_t packet = parameters.packet_payload;
  const std::int64_t packets = std::min(parameters.segment_bytes / packet, parameters.nic_window);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(packets, 1) * packet);
}

/// A link type of a dimension, or the host port: which of Timing's rates a link has.
using RateIndex = std::uint8_t;
inline constexpr RateIndex kHostRate = 12;

constexpr RateIndex rate_index(int dimension, LinkType type) {
  return static_cast<RateIndex>(4 * dimension + static_cast<int>(type));
}

/// One for a whole network, read everywhere and never changed.
struct Timing {
  Timing(const corespec::Parameters& parameters, const Torus& shape)
      : torus(shape),
        format(parameters),
        hop(parameters.hop_latency),
        nic_to_router(parameters.nic_to_router_latency),
        loopback(parameters.memory_latency),
        nic(1, parameters.nic_bandwidth),
        window(parameters.nic_window),
        piece(largest_segment(parameters)) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      for (const LinkType type : {LinkType::mezzanine, LinkType::backplane, LinkType::cable}) {
        phits[rate_index(dimension, type)] =
            Rate(parameters.phit_bytes, link_bandwidth(parameters, dimension, type));
      }
    }
    phits[kHostRate] = Rate(parameters.phit_bytes, host_bandwidth(parameters));
  }

  const Torus& torus;
  PacketFormat format;
  std::array<Rate, 13> phits;    ///< per phit, by rate_index() and kHostRate
  corespec::Time hop;            ///< head, router to router
  corespec::Time nic_to_router;  ///< head, per end
  corespec::Time loopback;       ///< a NIC to itself, one way
  Rate nic;                      ///< per payload byte
  std::int64_t window;           ///< requests a NIC may have unanswered
  std::uint32_t piece;           ///< largest segment
};

}  // namespace gemini
