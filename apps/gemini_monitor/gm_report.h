// What was counted, gathered on rank 0 and printed as S0's figure 4.
#pragma once

#include <mpi.h>
#include <stdio.h>

#include "apps/gemini_monitor/gm_counters.h"
#include "apps/gemini_monitor/gm_failure.h"
#include "apps/gemini_monitor/gm_tiles.h"

/// Of one Gemini.
typedef struct {
  gm_link links[gm_links];
  gm_sample counted;
} gm_record;

void gm_fill_record(gm_record* record, const gm_tile_map* map, const gm_sample* before,
                    const gm_sample* after);

/// All leaders call it; rank 0 has room for all their `records`.
int gm_gather_records(MPI_Comm leaders, const gm_record* own, gm_record* records,
                      gm_failure* failure);

int gm_print_records(FILE* output, const gm_record* records, int count, gm_failure* failure);
