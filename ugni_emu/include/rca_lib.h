/* RCA, the resiliency communication agent: which node is this, and where does it stand? */
/*
 * Of the system that the job runs on (aprun --system). Link with -lrca. All functions return 0, or
 * -1: a null pointer, no such node, or the caller is no process of a job.
 */
#pragma once

#include <stdint.h>

#include "rs_id.h"
#include "rs_meshcoord.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t rca_nid_t;

/* The caller's node. */
int rca_get_nodeid(rs_node_t* node);
/* All nodes of the system, by nid; na_ids is the caller's to free(). */
int rca_get_sysnodes(rs_node_array_t* nodes);
/* Coordinates of a node's router: X, Y and Z of a torus; on a dragonfly group, chassis and slot, as
   on a Cray XC. */
int rca_get_meshcoord(uint16_t nid, rca_mesh_coord_t* coordinates);
/* The greatest coordinate in each direction: sizes less one. */
int rca_get_max_dimension(rca_mesh_coord_t* greatest);
/* Castor's own: 1, or 0 on a dragonfly, where two coordinates that differ are one link apart. */
int castor_rca_is_torus(int* is_torus);

#ifdef __cplusplus
} /* extern "C" */
#endif
