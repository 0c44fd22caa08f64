// The one place that asks in which fidelity a network is simulated.
#pragma once

#include <memory>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/network/network.h"

namespace gemini {

/// So far there is fidelity `message`.
std::unique_ptr<Network> make_network(const corespec::Parameters& parameters,
                                      std::shared_ptr<const Topology> topology,
                                      const NetworkDomains& domains);

}  // namespace gemini
