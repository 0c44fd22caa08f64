// Counting at tiles: which tile each packet takes.
#include "ugni_emu/gemini/counters/tile_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "corespec/containers/packed_records.h"

namespace gemini {
TileCounters::TileCounters(const corespec::Parameters& parameters,
                           std::shared_ptr<const Topology> topology)
    : topology_(std::move(topology)),
      ports_(topology_->links_per_router() + 1),
      most_tiles_(static_cast<std::size_t>(parameters.tiles_host)),
      tiles_(topology_->routers() * ports_),
      series_(parameters.counters_every, *topology_),
      cycle_(parameters.router_cycle) {
  for (const LinkClass& link : topology_->link_classes()) {
    most_tiles_ = std::max(most_tiles_, static_cast<std::size_t>(parameters.*link.tiles));
  }
  for (RouterId router = 0; router < topology_->routers(); ++router) {
    for (std::uint8_t link = 0; link < host_port(); ++link) {
      const Port port{router, link};
      const LinkClass& made_of = topology_->link_classes()[topology_->link_class(port)];
      tiles_[number_of(port)] = static_cast<std::uint8_t>(parameters.*made_of.tiles);
    }
    tiles_[number_of({router, host_port()})] = static_cast<std::uint8_t>(parameters.tiles_host);
  }
  counters_.resize(tiles_.size() * most_tiles_);
}

void TileCounters::count(Port port, corespec::Time now, const ArrivingPackets& arriving) {
  if (now >= end_) [[unlikely]]
    return;
  LinkCounters all;
  all.phits[arriving.channel] = arriving.sizes.phits;
  all.packets[arriving.channel] = arriving.sizes.packets;
  series_.add(port, now, all);
  const std::uint32_t in_use = tiles_[number_of(port)];
  if (!arriving.hashed) {
    counters_of(port, arriving.flow % in_use) += all;
    return;
  }
  ArrivingPackets left = arriving;
  for (; left.sizes.packets != 0; ++left.flow) {
    LinkCounters& at = counters_of(port, left.flow % in_use);
    at.phits[left.channel] += left.sizes.take();
    ++at.packets[left.channel];
  }
}

void TileCounters::count_at(Port port, std::uint32_t tile, corespec::Time now,
                            const LinkCounters& counted) {
  if (now >= end_) [[unlikely]]
    return;
  series_.add(port, now, counted);
  counters_of(port, tile) += counted;
}

void TileCounters::count_stall(Port port, std::uint32_t tile, bool input, corespec::Time from,
                               corespec::Time to) {
  to = std::min(to, end_);
  if (from >= to) return;
  LinkCounters& counted = counters_of(port, tile);
  (input ? counted.input_stall : counted.output_stall) += to - from;
  series_.add_stall(port, input, from, to);
}

LinkCounters TileCounters::at(RouterTile tile) const {
  if (tile.router >= topology_->routers() || tile.tile >= kTiles) {
    throw std::out_of_range(fmt::format("no tile {} of router {}", tile.tile, tile.router));
  }
  const TilePlace place = place_of(*topology_, tile);
  const Port port{tile.router, place.link.value_or(host_port())};
  const std::size_t on_the_map =
      place.link ? topology_->tiles_of(port).size() : topology_->host_tiles().size();
  LinkCounters all;  // more tiles than the map has share its tiles in turn
  for (std::size_t number = place.number; number < most_tiles_; number += on_the_map) {
    all += counters_[number_of(port) * most_tiles_ + number];
  }
  return all;
}

LinkCounters TileCounters::link(Port port) const {
  if (port.router >= topology_->routers() || port.link >= topology_->links_per_router()) {
    throw std::out_of_range(fmt::format("no link {} of router {}", port.link, port.router));
  }
  return sum(port);
}

LinkCounters TileCounters::host(RouterId router) const {
  if (router >= topology_->routers()) throw std::out_of_range(fmt::format("no router {}", router));
  return sum({router, host_port()});
}

LinkCounters TileCounters::sum(Port port) const {
  LinkCounters all;
  for (std::size_t number = 0; number < most_tiles_; ++number) {
    all += counters_[number_of(port) * most_tiles_ + number];
  }
  return all;
}

// ---- in parts

namespace {

/// At a tile of a port.
struct Counted {
  std::uint64_t number;
  LinkCounters counters;
};

/// A router's, within an interval; the counters of its ports follow.
struct SampleHead {
  RouterId router;
  std::uint32_t number;
};

}  // namespace

std::string TileCounters::pack() const {
  std::vector<Counted> all;
  for (std::size_t number = 0; number < counters_.size(); ++number) {
    if (counters_[number] != LinkCounters()) all.push_back({number, counters_[number]});
  }
  corespec::PackedRecords packed;
  packed.add_all(all);
  if (!series_.is_kept()) return packed.take();
  for (RouterId router = 0; router < topology_->routers(); ++router) {
    for (const CounterSample& sample : series_.of(router)) {
      packed.add(SampleHead{router, sample.number});
      packed.add_all(sample.ports);
    }
  }
  return packed.take();
}

void TileCounters::add(std::string_view packed) {
  corespec::RecordReader reader(packed);
  std::vector<Counted> all;
  reader.take_all(all);
  for (const Counted& each : all) counters_.at(each.number) += each.counters;
  while (!reader.is_empty()) {
    const auto head = reader.take<SampleHead>();
    CounterSample sample{head.number, {}};
    reader.take_all(sample.ports);
    series_.add(head.router, std::move(sample));
  }
}

}  // namespace gemini
