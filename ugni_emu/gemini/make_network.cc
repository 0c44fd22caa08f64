// The one place that asks in which fidelity a network is simulated.
#include "ugni_emu/gemini/make_network.h"

#include <utility>

#include "ugni_emu/gemini/message/message_network.h"
#include "ugni_emu/gemini/packet/packet_network.h"

namespace gemini {

namespace {

bool is_of_packets(const corespec::Parameters& parameters) {
  return parameters.fidelity == "packet";
}

}  // namespace

NetworkNeeds network_needs(const corespec::Parameters& parameters) {
  if (is_of_packets(parameters)) return {false, false};
  return {};
}

std::unique_ptr<Network> make_network(const corespec::Parameters& parameters,
                                      std::shared_ptr<const Topology> topology,
                                      const NetworkDomains& domains) {
  if (is_of_packets(parameters)) {
    return std::make_unique<PacketNetwork>(parameters, std::move(topology), domains);
  }
  return std::make_unique<MessageNetwork>(parameters, std::move(topology), domains);
}

}  // namespace gemini
