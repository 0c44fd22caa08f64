// Counting at tiles: which tile each packet takes.
#include "ugni_emu/gemini/counters/tile_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gemini {
namespace {

/// Takes from `arriving` its next packet; returns that one's phits.
std::uint32_t take_packet(ArrivingPackets& arriving) {
  const std::uint32_t others = arriving.packets - 1;
  // What compression has left is spread evenly: which packet has lost how much is not kept.
  const bool full = arriving.phits > others * std::uint64_t{arriving.full_packet};
  const std::uint32_t phits =
      others == 0 ? arriving.phits
                  : (full ? arriving.full_packet : arriving.phits / arriving.packets);
  arriving.packets = others;
  arriving.phits -= phits;
  return phits;
}

}  // namespace

TileCounters::TileCounters(const corespec::Parameters& parameters,
                           std::shared_ptr<const Topology> topology)
    : topology_(std::move(topology)),
      host_tiles_(static_cast<std::uint8_t>(parameters.tiles_host)),
      counters_(std::size_t{topology_->routers()} * kTiles),
      series_(parameters.counters_every, *topology_) {
  for (const LinkClass& link : topology_->link_classes()) {
    tiles_of_class_.push_back(static_cast<std::uint8_t>(parameters.*link.tiles));
  }
}

std::span<const Tile> TileCounters::tiles_of(Port port) const {
  return port.link == host_port() ? topology_->host_tiles() : topology_->tiles_of(port);
}

unsigned TileCounters::tiles_in_use(Port port) const {
  return port.link == host_port() ? host_tiles_ : tiles_of_class_[topology_->link_class(port)];
}

void TileCounters::count(Port port, corespec::Time now, const ArrivingPackets& arriving) {
  LinkCounters all;
  all.phits[arriving.channel] = arriving.phits;
  all.packets[arriving.channel] = arriving.packets;
  series_.add(port, now, all);
  const std::span<const Tile> tiles = tiles_of(port);
  const unsigned in_use = tiles_in_use(port);
  if (!arriving.hashed) {
    counters_of(port, tiles, arriving.flow % in_use) += all;
    return;
  }
  ArrivingPackets left = arriving;
  for (; left.packets != 0; ++left.flow) {
    LinkCounters& at = counters_of(port, tiles, left.flow % in_use);
    at.phits[left.channel] += take_packet(left);
    ++at.packets[left.channel];
  }
}

const LinkCounters& TileCounters::at(RouterTile tile) const {
  if (tile.router >= topology_->routers() || tile.tile >= kTiles) {
    throw std::out_of_range(fmt::format("no tile {} of router {}", tile.tile, tile.router));
  }
  return counters_[std::size_t{tile.router} * kTiles + tile.tile];
}

LinkCounters TileCounters::link(Port port) const {
  if (port.router >= topology_->routers() || port.link >= topology_->links_per_router()) {
    throw std::out_of_range(fmt::format("no link {} of router {}", port.link, port.router));
  }
  return sum(port.router, tiles_of(port));
}

LinkCounters TileCounters::host(RouterId router) const {
  if (router >= topology_->routers()) throw std::out_of_range(fmt::format("no router {}", router));
  return sum(router, topology_->host_tiles());
}

LinkCounters TileCounters::sum(RouterId router, std::span<const Tile> tiles) const {
  LinkCounters all;
  for (const Tile tile : tiles) all += at({router, tile});
  return all;
}

}  // namespace gemini
