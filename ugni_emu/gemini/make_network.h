// The one place that asks in which fidelity a network is simulated.
#pragma once

#include <memory>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/network/network.h"

namespace gemini {

/// What a network wants of its routers' domains.
struct NetworkNeeds {
  /// All routers of a part share one domain, each a lane of it (QueueKind::lanes): what a router
  /// schedules for itself is a least delay or more ahead, too. False: a few routers each.
  bool lanes = true;
  /// It may be run in parts.
  bool parts = true;
};
NetworkNeeds network_needs(const corespec::Parameters& parameters);

/// In the fidelity that CASTOR_FIDELITY says. Throws std::invalid_argument where parameters do not
/// go together.
std::unique_ptr<Network> make_network(const corespec::Parameters& parameters,
                                      std::shared_ptr<const Topology> topology,
                                      const NetworkDomains& domains);

}  // namespace gemini
