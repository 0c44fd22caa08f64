// Reads of routers' registers, there and back.
#include "ugni_emu/gemini/counters/register_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gemini {
namespace {

std::uint64_t value_of(const LinkCounters& tile, ugni::TileCounter counter, corespec::Time cycle) {
  switch (counter) {
    case ugni::TileCounter::request_phits:
      return tile.phits[kRequests];
    case ugni::TileCounter::response_phits:
      return tile.phits[kResponses];
    case ugni::TileCounter::request_packets:
      return tile.packets[kRequests];
    case ugni::TileCounter::response_packets:
      return tile.packets[kResponses];
    case ugni::TileCounter::input_stalls:
      return static_cast<std::uint64_t>(tile.input_stall / cycle);
    case ugni::TileCounter::output_stalls:
      return static_cast<std::uint64_t>(tile.output_stall / cycle);
  }
  return 0;
}

}  // namespace

void RegisterReads::begin(Nid nid, const RegisterPlace& router, corespec::EventSource& source,
                          corespec::Time way, ugni::RegisterRead& read) {
  if (topology_.router_of(read.nic) != router.number) {
    throw std::invalid_argument(
        fmt::format("nid {}: its registers are not at the Gemini of nid {}", read.nic, nid));
  }
  auto& reads = reads_[nid];
  const auto is_free = [](const auto& each) { return each->read == nullptr; };
  auto found = std::find_if(reads.begin(), reads.end(), is_free);
  if (found == reads.end()) found = reads.insert(found, std::make_unique<Read>());
  Read& event = **found;
  event.router.emplace(router);
  event.way = way;
  event.read = &read;
  corespec::EventDomain& here = router.nodes_domain;
  router.domain.schedule_from(here, here.now() + way, source, event,
                              corespec::in_lane(router.number, at_router));
}

void RegisterReads::Read::fire(std::uint64_t arg) {
  if (static_cast<std::uint8_t>(arg) == answered) {
    sample_nic();
    std::exchange(read, nullptr)->answered();
    return;
  }
  if (router->under_way != nullptr) router->under_way->count_so_far();
  sample_tiles();
  corespec::EventDomain& here = router->domain;
  router->nodes_domain.schedule_from(here, here.now() + way, router->source, *this, answered);
}

void RegisterReads::Read::sample_tiles() {
  const TileCounters& tiles = router->counters.tiles;
  for (std::size_t at = 0; at < read->registers.size(); ++at) {
    const ugni::Register& which = read->registers[at];
    if (which.kind != ugni::Register::Kind::tile) continue;
    read->values[at] =
        value_of(tiles.at({router->number, which.tile}), which.counter, tiles.cycle());
  }
}

void RegisterReads::Read::sample_nic() {
  const NicCounters& nic = router->counters.nics[read->nic];
  for (std::size_t at = 0; at < read->registers.size(); ++at) {
    const ugni::Register& which = read->registers[at];
    if (which.kind != ugni::Register::Kind::tile) read->values[at] = nic.value(which);
  }
}

}  // namespace gemini
