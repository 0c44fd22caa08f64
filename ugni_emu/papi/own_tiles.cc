// Which tiles of the caller's Gemini make up which of its links: by the map of the job's system.
#include "ugni_emu/papi/own_tiles.h"

#include "corespec/config/parameters.h"
#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "ugni_emu/gemini/links/tile_map.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace papi {
namespace {

unsigned number_of(std::string_view name) {
  for (unsigned link = 0; link < kHostPort; ++link) {
    if (link_name(link) == name) return link;
  }
  return kOtherLink;
}

}  // namespace

std::optional<LinkOfTile> links_of_own_tiles() {
  const corespec::Process* const process = corespec::adopt_process();
  if (process == nullptr) return std::nullopt;
  const auto topology = gemini::make_topology(process->job().parameters().system);
  const auto nid = static_cast<gemini::Nid>(process->node().nid());
  LinkOfTile links{};
  for (unsigned tile = 0; tile < gemini::kTiles; ++tile) {
    const gemini::RouterTile at{topology->router_of(nid), static_cast<gemini::Tile>(tile)};
    const std::optional<std::uint8_t> link = gemini::place_of(*topology, at).link;
    links[tile] = link ? number_of(topology->link_name(*link)) : kHostPort;
  }
  return links;
}

}  // namespace papi
