// A Gemini's links as its tiles count them: reads through GPCD, summed by `interconnect.txt`.
#pragma once

#include <castor_interconnect.h>
#include <gpcd_lib.h>
#include <mpi.h>
#include <pmi.h>
#include <rca_lib.h>

#include "benchmarks/common/program.h"

enum { tile_rows = 6, tile_columns = 8, tile_counters = 6, gemini_links = 7, host_link = 6 };

/// By GPCD's numbers: phits of requests and of responses, packets of both, stalls.
typedef struct {
  unsigned long long counter[tile_counters];
} link_counters;

/// What a Gemini has counted: X+, X-, Y+, Y-, Z+, Z- (what comes in there), then from its hosts.
typedef struct {
  link_counters link[gemini_links];
} gemini_counters;

/// The Gemini of the calling rank.
typedef struct {
  gpcd_context_t* context;
  int x, y, z;
  int link_of[tile_rows][tile_columns];
} gemini_reader;

/// Ends the job: `what` went wrong.
static inline void counters_fail(const char* program, const char* what) {
  fprintf(stderr, "%s: %s\n", program, what);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// The calling rank's Gemini; `map` is the text of `interconnect.txt`, `name` its file's name.
static inline void open_reader(gemini_reader* reader, const char* program, const char* map,
                               size_t length, const char* name) {
  rca_mesh_coord_t at;
  int rank = 0, nid = 0;
  PMI_Get_rank(&rank);
  PMI_Get_nid(rank, &nid);
  if (rca_get_meshcoord((uint16_t)nid, &at) != 0) counters_fail(program, "no coordinates");
  int is_torus = 1;
  if (castor_rca_is_torus(&is_torus) != 0 || !is_torus) {
    counters_fail(program, "the job's system is a dragonfly: allowed is a torus");
  }
  reader->x = at.mesh_x;
  reader->y = at.mesh_y;
  reader->z = at.mesh_z;
  castor_interconnect_line_t lines[CASTOR_INTERCONNECT_GEMINI_LINES];
  char error[option_error_size];
  const int count = castor_interconnect_of_gemini(map, length, name, reader->x, reader->y,
                                                  reader->z, lines, error, sizeof error);
  if (count < 0) counters_fail(program, error);
  // A tile without a line is a host tile.
  reader->context = gpcd_create_context();
  for (int r = 0; r < tile_rows; ++r) {
    for (int c = 0; c < tile_columns; ++c) {
      reader->link_of[r][c] = host_link;
      for (int counter = 0; counter < tile_counters; ++counter) {
        char text[64];
        snprintf(text, sizeof text, "GM_%d_%d_TILE_PERFORMANCE_COUNTERS_%d", r, c, counter);
        gpcd_context_add_mmr(reader->context, gpcd_lookup_mmr_byname(text));
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    reader->link_of[lines[i].from.tile_row][lines[i].from.tile_column] = (int)lines[i].direction;
  }
}

static inline void close_reader(gemini_reader* reader) { gpcd_remove_context(reader->context); }

static inline void read_gemini(const gemini_reader* reader, const char* program,
                               gemini_counters* counters) {
  if (gpcd_context_read_mmr_vals(reader->context) != 0) counters_fail(program, "no counters");
  memset(counters, 0, sizeof *counters);
  // The list begins with the register that was added last.
  int number = tile_rows * tile_columns * tile_counters;
  for (const gpcd_mmr_list_t* entry = reader->context->list; entry != NULL; entry = entry->next) {
    --number;
    const int tile = number / tile_counters;
    const int link = reader->link_of[tile / tile_columns][tile % tile_columns];
    counters->link[link].counter[number % tile_counters] += entry->value;
  }
}

/// `after` less `before`.
static inline gemini_counters counted_between(const gemini_counters* before,
                                              const gemini_counters* after) {
  gemini_counters difference;
  for (int link = 0; link < gemini_links; ++link) {
    for (int counter = 0; counter < tile_counters; ++counter) {
      difference.link[link].counter[counter] =
          after->link[link].counter[counter] - before->link[link].counter[counter];
    }
  }
  return difference;
}

static inline const char* link_name(int link) {
  return link == host_link ? "HH" : castor_interconnect_direction_name(link);
}
