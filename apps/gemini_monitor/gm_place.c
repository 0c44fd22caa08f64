// Which Gemini a rank's node is on, and which rank leads on each Gemini.
#include "apps/gemini_monitor/gm_place.h"

#include "apps/gemini_monitor/gemini_monitor.h"
#include "rca_lib.h"

int gm_find_place(gm_place* place, gm_failure* failure) {
  rs_node_t node;
  if (rca_get_nodeid(&node) != 0) {
    return gm_fail(failure, GEMINI_ERR_PLACE, "rca_get_nodeid() does not know the rank's node");
  }
  const unsigned nid = (unsigned)node.rs_node_s._node_id;
  rca_mesh_coord_t at, greatest;
  if (nid > UINT16_MAX || rca_get_meshcoord((uint16_t)nid, &at) != 0 ||
      rca_get_max_dimension(&greatest) != 0) {
    return gm_fail(failure, GEMINI_ERR_PLACE, "RCA has no coordinates of the node with nid %u",
                   nid);
  }
  int is_torus = 1;
  if (castor_rca_is_torus(&is_torus) != 0 || !is_torus) {
    return gm_fail(failure, GEMINI_ERR_PLACE,
                   "the job's system is a dragonfly; this library knows the links of a torus only");
  }
  const int rows = greatest.mesh_y + 1, levels = greatest.mesh_z + 1;
  place->at[0] = at.mesh_x;
  place->at[1] = at.mesh_y;
  place->at[2] = at.mesh_z;
  place->number = (at.mesh_x * rows + at.mesh_y) * levels + at.mesh_z;
  place->only = greatest.mesh_x + rows + levels == 2;
  return GEMINI_SUCCESS;
}

int gm_elect_leaders(MPI_Comm comm, const gm_place* place, MPI_Comm* leaders, gm_failure* failure) {
  MPI_Comm gemini = MPI_COMM_NULL;
  int rank = 0;
  if (gm_mpi_worked(failure, "MPI_Comm_split", MPI_Comm_split(comm, place->number, 0, &gemini)) &&
      gm_mpi_worked(failure, "MPI_Comm_rank", MPI_Comm_rank(gemini, &rank)) &&
      gm_mpi_worked(failure, "MPI_Comm_free", MPI_Comm_free(&gemini))) {
    gm_mpi_worked(failure, "MPI_Comm_split",
                  MPI_Comm_split(comm, rank == 0 ? 0 : MPI_UNDEFINED, 0, leaders));
  }
  return failure->code;
}
