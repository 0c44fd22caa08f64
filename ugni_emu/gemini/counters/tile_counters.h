// What has arrived at the tiles of a network's routers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/counters/counter_series.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/format/packet_sizes.h"
#include "ugni_emu/gemini/links/tile_map.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// Packets of one request or response that arrive together.
struct ArrivingPackets {
  unsigned channel = kRequests;
  PacketSizes sizes;       ///< full_packet: if hashed
  std::uint32_t flow = 0;  ///< decides the first one's tile of a link
  bool hashed = false;     ///< each one takes the tile after that of the one before
};

/// The counters of all tiles of a network. A packet that comes over a link counts at one of the
/// tiles by which the link ends, one that comes from a NIC at a host tile: a tile whose number in
/// its link is the packet's `flow` modulo the number of tiles (PPT).
///
/// A router's counters belong to its domain.
class TileCounters {
 public:
  TileCounters(const corespec::Parameters& parameters, std::shared_ptr<const Topology> topology);

  /// At `port.link` of `port.router`; the number behind the router's links is the host port.
  void count(Port port, corespec::Time now, const ArrivingPackets& arriving);
  /// At tile number `tile` of the port, whatever the packets' flow.
  void count_at(Port port, std::uint32_t tile, corespec::Time now, const LinkCounters& counted);
  /// A stall at a tile, of which it is a whole or a further part.
  void count_stall(Port port, std::uint32_t tile, bool input, corespec::Time from,
                   corespec::Time to);
  /// In which registers count stalls (CASTOR_ROUTER_CYCLE).
  corespec::Time cycle() const { return cycle_; }
  /// What arrives at `time` or later is not counted.
  void end_at(corespec::Time time) { end_ = time; }

  /// Of a tile. Throws std::out_of_range where there is none.
  LinkCounters at(RouterTile tile) const;
  /// Of all tiles by which a link comes in. Throws std::out_of_range where there is no such port.
  LinkCounters link(Port port) const;
  /// By intervals of CASTOR_COUNTERS_EVERY.
  const CounterSeries& series() const { return series_; }
  /// Of the host tiles: all that a router's NICs have brought to it.
  LinkCounters host(RouterId router) const;

  // Where a machine is run in parts: what the routers of one of them have counted, as bytes, and
  // added to those of another one.
  std::string pack() const;
  /// Throws std::runtime_error or std::out_of_range if it is not what pack() makes.
  void add(std::string_view packed);

 private:
  std::uint8_t host_port() const {
    return static_cast<std::uint8_t>(topology_->links_per_router());
  }
  std::size_t number_of(Port port) const { return std::size_t{port.router} * ports_ + port.link; }
  LinkCounters& counters_of(Port port, std::uint32_t tile) {
    return counters_[number_of(port) * most_tiles_ + tile];
  }
  LinkCounters sum(Port port) const;

  std::shared_ptr<const Topology> topology_;
  std::size_t ports_, most_tiles_;
  std::vector<std::uint8_t> tiles_;     ///< of each port: router by router
  std::vector<LinkCounters> counters_;  ///< by port and tile: a hop finds it without the map
  CounterSeries series_;
  corespec::Time cycle_;
  corespec::Time end_ = corespec::Time::max();
};

}  // namespace gemini
