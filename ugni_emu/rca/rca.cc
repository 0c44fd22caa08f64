// RCA functions: nodes, their places in cabinets and their coordinates in the torus.
#include <cstdlib>

#include "corespec/config/parameters.h"
#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/gemini/topology/cabinet_place.h"
#include "ugni_emu/gemini/topology/torus_shape.h"
#include "ugni_emu/include/rca_lib.h"

namespace {

constexpr int done = 0;
constexpr int failed = -1;

rs_node_t describe(const gemini::TorusShape& torus, std::uint32_t nid) {
  const gemini::CabinetPlace place =
      gemini::cabinet_place(torus.coordinates_of(nid), torus.sizes());
  rs_node_t node{};
  node.rs_node_s._node_id = nid;
  node.rs_node_s._node_type = RS_NODE_TYPE_COMPUTE;
  node.rs_node_s._node_state = RS_CS_READY;
  node.rs_node_s._node_x = place.column;
  node.rs_node_s._node_row = place.row;
  node.rs_node_s._node_cage = place.cage;
  node.rs_node_s._node_slot = place.slot;
  // A blade's nodes 0 and 1 share its Gemini 0.
  node.rs_node_s._node_modcomp = 2U * place.gemini + nid % 2;
  node.rs_node_s._node_link = place.gemini;
  return node;
}

/// Calls `body(const TorusShape&, nid of the caller)`, which returns whether it has succeeded.
template <typename Body>
int on_the_system(const char* function, const void* to, const Body& body) {
  const corespec::Process* const process = corespec::adopt_process();
  if (process == nullptr || to == nullptr) return failed;
  const corespec::LibraryCall library_call(function);
  const auto torus = gemini::TorusShape::parse(process->job().parameters().system);
  return body(torus, static_cast<std::uint32_t>(process->node().nid())) ? done : failed;
}

}  // namespace

extern "C" {

int rca_get_nodeid(rs_node_t* node) {
  return on_the_system("rca_get_nodeid", node, [&](const auto& torus, std::uint32_t own) {
    *node = describe(torus, own);
    return true;
  });
}

int rca_get_sysnodes(rs_node_array_t* nodes) {
  return on_the_system(
      "rca_get_sysnodes", nodes, [&](const gemini::TorusShape& torus, std::uint32_t) {
        auto* const ids = static_cast<rs_node_t*>(std::calloc(torus.nodes(), sizeof(rs_node_t)));
        if (ids == nullptr) return false;
        for (std::uint32_t nid = 0; nid < torus.nodes(); ++nid) ids[nid] = describe(torus, nid);
        *nodes = {static_cast<int>(torus.nodes()), ids};
        return true;
      });
}

int rca_get_meshcoord(uint16_t nid, rca_mesh_coord_t* coordinates) {
  return on_the_system("rca_get_meshcoord", coordinates,
                       [&](const gemini::TorusShape& torus, std::uint32_t) {
                         if (nid >= torus.nodes()) return false;
                         const gemini::Coordinates at = torus.coordinates_of(nid);
                         *coordinates = {at.x, at.y, at.z};
                         return true;
                       });
}

int rca_get_max_dimension(rca_mesh_coord_t* greatest) {
  return on_the_system("rca_get_max_dimension", greatest,
                       [&](const gemini::TorusShape& torus, std::uint32_t) {
                         const auto last = [&torus](std::size_t dimension) {
                           return static_cast<uint16_t>(torus.sizes()[dimension] - 1);
                         };
                         *greatest = {last(0), last(1), last(2)};
                         return true;
                       });
}

}  // extern "C"
