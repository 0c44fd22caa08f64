// The one place that knows which topologies there are.
#include "ugni_emu/gemini/topology/make_topology.h"

#include "ugni_emu/gemini/topology/dragonfly.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {

std::shared_ptr<const Topology> make_topology(std::string_view system) {
  if (DragonflyShape::is_meant(system)) {
    return std::make_shared<const Dragonfly>(Dragonfly::parse(system));
  }
  return std::make_shared<const Torus>(Torus::parse(system));
}

}  // namespace gemini
