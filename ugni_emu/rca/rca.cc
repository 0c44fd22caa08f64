// RCA functions: nodes, their places in cabinets and their coordinates in the network.
#include <cstdlib>

#include "corespec/config/parameters.h"
#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/gemini/topology/system_shape.h"
#include "ugni_emu/include/rca_lib.h"

namespace {

constexpr int done = 0;
constexpr int failed = -1;

rs_node_t describe(const gemini::SystemShape& system, std::uint32_t nid) {
  const gemini::NodePlace place = system.place_of(nid);
  rs_node_t node{};
  node.rs_node_s._node_id = nid;
  node.rs_node_s._node_type = RS_NODE_TYPE_COMPUTE;
  node.rs_node_s._node_state = RS_CS_READY;
  node.rs_node_s._node_x = place.column;
  node.rs_node_s._node_row = place.row;
  node.rs_node_s._node_cage = place.cage;
  node.rs_node_s._node_slot = place.slot;
  node.rs_node_s._node_modcomp = place.node;
  node.rs_node_s._node_link = place.router;
  return node;
}

/// Calls `body(const SystemShape&, nid of the caller)`, which returns whether it has succeeded.
template <typename Body>
int on_the_system(const char* function, const void* to, const Body& body) {
  const corespec::Process* const process = corespec::adopt_process();
  if (process == nullptr || to == nullptr) return failed;
  const corespec::LibraryCall library_call(function);
  const auto system = gemini::SystemShape::parse(process->job().parameters().system);
  return body(system, static_cast<std::uint32_t>(process->node().nid())) ? done : failed;
}

}  // namespace

extern "C" {

int rca_get_nodeid(rs_node_t* node) {
  return on_the_system("rca_get_nodeid", node,
                       [&](const gemini::SystemShape& system, std::uint32_t own) {
                         *node = describe(system, own);
                         return true;
                       });
}

int rca_get_sysnodes(rs_node_array_t* nodes) {
  return on_the_system(
      "rca_get_sysnodes", nodes, [&](const gemini::SystemShape& system, std::uint32_t) {
        auto* const ids = static_cast<rs_node_t*>(std::calloc(system.nodes(), sizeof(rs_node_t)));
        if (ids == nullptr) return false;
        for (std::uint32_t nid = 0; nid < system.nodes(); ++nid) ids[nid] = describe(system, nid);
        *nodes = {static_cast<int>(system.nodes()), ids};
        return true;
      });
}

int rca_get_meshcoord(uint16_t nid, rca_mesh_coord_t* coordinates) {
  return on_the_system("rca_get_meshcoord", coordinates,
                       [&](const gemini::SystemShape& system, std::uint32_t) {
                         if (nid >= system.nodes()) return false;
                         const auto at = system.coordinates_of(nid);
                         *coordinates = {at[0], at[1], at[2]};
                         return true;
                       });
}

int rca_get_max_dimension(rca_mesh_coord_t* greatest) {
  return on_the_system("rca_get_max_dimension", greatest,
                       [&](const gemini::SystemShape& system, std::uint32_t) {
                         const auto most = system.greatest_coordinates();
                         *greatest = {most[0], most[1], most[2]};
                         return true;
                       });
}

int castor_rca_is_torus(int* is_torus) {
  return on_the_system("castor_rca_is_torus", is_torus,
                       [&](const gemini::SystemShape& system, std::uint32_t) {
                         *is_torus = system.is_torus() ? 1 : 0;
                         return true;
                       });
}

}  // extern "C"
