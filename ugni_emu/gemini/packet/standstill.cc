// Following what blocked buffers wait for until one comes again.
#include "ugni_emu/gemini/packet/standstill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "ugni_emu/gemini/links/tile_map.h"

namespace gemini {
namespace {

/// A buffer of a tile.
struct Buffer {
  RouterId router;
  bool is_input;
  unsigned tile;
  Slot slot;
  auto operator<=>(const Buffer&) const = default;
};

class BufferGraph {
 public:
  BufferGraph(const Topology& topology, const std::vector<std::unique_ptr<PacketRouter>>& routers)
      : topology_(topology), routers_(routers) {}

  const PacketQueue& queue(const Buffer& buffer) const {
    const PacketRouter& router = *routers_[buffer.router];
    return buffer.is_input ? router.input(buffer.tile, buffer.slot)
                           : router.output(buffer.tile, buffer.slot);
  }

  /// The buffer whose packets have to go on before this one's first can; nothing where it is empty
  /// or waits for a NIC.
  std::optional<Buffer> awaited(const Buffer& buffer) const {
    const PacketRouter& router = *routers_[buffer.router];
    if (queue(buffer).empty()) return std::nullopt;
    if (!buffer.is_input) {
      const TilePort& port = router.ports()[router.port_of(buffer.tile)];
      if (port.far == nullptr) return std::nullopt;
      const unsigned tile = port.far_base + (buffer.tile - port.base);
      return Buffer{port.far->number(), true, tile, buffer.slot};
    }
    for (const TilePort& port : router.ports()) {
      for (const WaitingHead& head : port.waiting) {
        if (head.tile != buffer.tile || head.slot != buffer.slot) continue;
        // Where any tile would do all of them are full.
        return Buffer{buffer.router, false, head.to, head.wants};
      }
    }
    return std::nullopt;
  }

  std::string name(const Buffer& buffer) const {
    const PacketRouter& router = *routers_[buffer.router];
    const unsigned number = router.port_of(buffer.tile);
    const Port port{buffer.router, static_cast<std::uint8_t>(number)};
    const TilePort& tiles = router.ports()[number];
    const bool host = number == topology_.links_per_router();
    const unsigned k = buffer.tile - tiles.base;
    const Tile tile = host ? topology_.host_tiles()[k % topology_.host_tiles().size()]
                           : tile_of(topology_, port, k);
    return fmt::format(
        "router {} ({}), tile {:02o} ({}), {} buffer of {}, class {}", buffer.router,
        fmt::join(topology_.position(buffer.router), ","), tile,
        host ? "host" : topology_.link_name(number), buffer.is_input ? "input" : "output",
        channel_of(buffer.slot) == kRequests ? "requests" : "responses", class_of(buffer.slot));
  }

 private:
  const Topology& topology_;
  const std::vector<std::unique_ptr<PacketRouter>>& routers_;
};

std::vector<Buffer> filled_inputs(const std::vector<std::unique_ptr<PacketRouter>>& routers) {
  std::vector<Buffer> found;
  for (const auto& router : routers) {
    for (unsigned tile = 0; tile < router->tiles(); ++tile) {
      for (Slot slot = 0; slot < slots; ++slot) {
        if (router->input(tile, slot).empty()) continue;
        found.push_back({router->number(), true, tile, slot});
      }
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> standstill(const Topology& topology,
                                    const std::vector<std::unique_ptr<PacketRouter>>& routers) {
  const BufferGraph graph(topology, routers);
  const std::vector<Buffer> filled = filled_inputs(routers);
  if (filled.empty()) return {};
  std::set<Buffer> seen;
  for (const Buffer& first : filled) {
    std::vector<Buffer> way;
    std::optional<Buffer> at = first;
    while (at && seen.insert(*at).second) {
      way.push_back(*at);
      at = graph.awaited(*at);
    }
    if (!at) continue;
    const auto begin = std::find(way.begin(), way.end(), *at);
    if (begin == way.end()) continue;  // it leads to a way that has been followed
    std::vector<std::string> lines;
    for (auto each = begin; each != way.end(); ++each) {
      const Buffer& next = std::next(each) == way.end() ? *begin : *std::next(each);
      lines.push_back(
          fmt::format("{} is full and waits for {}", graph.name(*each), graph.name(next)));
    }
    return lines;
  }
  return {fmt::format("packets stand still in {} input buffers, without a circle", filled.size())};
}

}  // namespace gemini
