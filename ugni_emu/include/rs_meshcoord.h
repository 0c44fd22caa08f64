/* RCA: coordinates in the network. */
#pragma once

#include <stdint.h>

/* Of a router, and so of its nodes. */
typedef struct rca_mesh_coord {
  uint16_t mesh_x;
  uint16_t mesh_y;
  uint16_t mesh_z;
} rca_mesh_coord_t;
typedef rca_mesh_coord_t mesh_coord_t;
