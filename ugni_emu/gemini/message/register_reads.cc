// Reads of routers' registers, there and back.
#include "ugni_emu/gemini/message/register_reads.h"

#include <algorithm>
#include <utility>

namespace gemini {

void RegisterReads::begin(Nid nid, Router& router, corespec::EventSource& source,
                          corespec::Time way, ugni::RegisterRead& read) {
  auto& reads = reads_[nid];
  const auto is_free = [](const auto& each) { return each->read == nullptr; };
  auto found = std::find_if(reads.begin(), reads.end(), is_free);
  if (found == reads.end()) found = reads.insert(found, std::make_unique<Read>());
  Read& event = **found;
  event.router = &router;
  event.way = way;
  event.read = &read;
  corespec::EventDomain& here = router.nodes_domain();
  router.domain().schedule_from(here, here.now() + way, source, event,
                                corespec::in_lane(router.number(), at_router));
}

void RegisterReads::Read::fire(std::uint64_t arg) {
  if (static_cast<std::uint8_t>(arg) == answered) {
    std::exchange(read, nullptr)->answered();
    return;
  }
  const TileCounters& counters = *router->counters();
  std::transform(
      read->registers.begin(), read->registers.end(), read->values.begin(),
      [&](ugni::TileRegister which) { return sample(counters, router->number(), which); });
  corespec::EventDomain& here = router->domain();
  router->nodes_domain().schedule_from(here, here.now() + way, router->source(), *this, answered);
}

std::uint64_t RegisterReads::sample(const TileCounters& counters, RouterId router,
                                    ugni::TileRegister which) {
  const LinkCounters& tile = counters.at({router, which.tile});
  switch (which.counter) {
    case ugni::TileCounter::request_phits:
      return tile.phits[kRequests];
    case ugni::TileCounter::response_phits:
      return tile.phits[kResponses];
    case ugni::TileCounter::request_packets:
      return tile.packets[kRequests];
    case ugni::TileCounter::response_packets:
      return tile.packets[kResponses];
    case ugni::TileCounter::input_stalls:
    case ugni::TileCounter::output_stalls:
      break;  // fidelity `message` has no queues that fill up
  }
  return 0;
}

}  // namespace gemini
