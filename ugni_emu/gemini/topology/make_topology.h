// The one place that knows which topologies there are.
#pragma once

#include <memory>
#include <string_view>

#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// What `--system` and CASTOR_SYSTEM name. Throws std::invalid_argument with one line that names
/// the text and what is allowed.
std::shared_ptr<const Topology> make_topology(std::string_view system);

}  // namespace gemini
