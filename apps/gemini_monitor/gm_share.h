// The file of links: rank 0 reads it and gives each leader the lines of its Gemini.
#pragma once

#include <mpi.h>

#include "apps/gemini_monitor/gm_failure.h"
#include "apps/gemini_monitor/gm_place.h"
#include "apps/gemini_monitor/gm_tiles.h"

/// Where a leader stands, for rank 0 to find it.
typedef struct {
  int at[3];
  int rank;  // among the leaders
} gm_addressee;

/// What to call the file, in messages, too.
const char* gm_map_file(void);

/// All leaders call it. `addressees` has room for as many on rank 0, and is not needed on others.
/// Every leader takes part to the end, whatever goes wrong.
int gm_share_map(MPI_Comm leaders, const gm_place* place, gm_addressee* addressees,
                 gm_tile_map* map, gm_failure* failure);
