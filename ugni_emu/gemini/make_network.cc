// The one place that asks in which fidelity a network is simulated.
#include "ugni_emu/gemini/make_network.h"

#include <utility>

#include "ugni_emu/gemini/message/message_network.h"

namespace gemini {

std::unique_ptr<Network> make_network(const corespec::Parameters& parameters,
                                      std::shared_ptr<const Topology> topology,
                                      const NetworkDomains& domains) {
  return std::make_unique<MessageNetwork>(parameters, std::move(topology), domains);
}

}  // namespace gemini
