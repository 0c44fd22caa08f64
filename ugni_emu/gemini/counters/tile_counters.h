// What has arrived at the tiles of a network's routers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/counters/counter_series.h"
#include "ugni_emu/gemini/links/tile_map.h"
#include "ugni_emu/gemini/packets/channels.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// Packets of one request or response that arrive together.
struct ArrivingPackets {
  unsigned channel = kRequests;
  std::uint32_t packets = 0;
  std::uint32_t phits = 0;        ///< of all of them
  std::uint32_t full_packet = 0;  ///< phits of each but the last, where nothing is compressed
  std::uint32_t flow = 0;         ///< decides the first one's tile of a link
  bool hashed = false;            ///< each one takes the tile after that of the one before
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

  /// Of a tile. Throws std::out_of_range where there is none.
  const LinkCounters& at(RouterTile tile) const;
  /// Of all tiles by which a link comes in. Throws std::out_of_range where there is no such port.
  LinkCounters link(Port port) const;
  /// By intervals of CASTOR_COUNTERS_EVERY.
  const CounterSeries& series() const { return series_; }
  /// Of the host tiles: all that a router's NICs have brought to it.
  LinkCounters host(RouterId router) const;

 private:
  std::uint8_t host_port() const {
    return static_cast<std::uint8_t>(topology_->links_per_router());
  }
  std::span<const Tile> tiles_of(Port port) const;
  unsigned tiles_in_use(Port port) const;
  LinkCounters& counters_of(Port port, std::span<const Tile> tiles, std::uint32_t number) {
    return counters_[std::size_t{port.router} * kTiles + tiles[number % tiles.size()]];
  }
  LinkCounters sum(RouterId router, std::span<const Tile> tiles) const;

  std::shared_ptr<const Topology> topology_;
  std::vector<std::uint8_t> tiles_of_class_;  ///< by LinkClassId
  std::uint8_t host_tiles_;
  std::vector<LinkCounters> counters_;  ///< by router and tile
  CounterSeries series_;
};

}  // namespace gemini
