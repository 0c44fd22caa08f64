// Which of a Gemini's tiles belong to which link, where each link leads and how fast it is.
#pragma once

#include "apps/gemini_monitor/gm_failure.h"
#include "apps/gemini_monitor/gm_place.h"
#include "castor_interconnect.h"

enum { gm_tile_rows = 6, gm_tile_columns = 8, gm_tiles = gm_tile_rows * gm_tile_columns };
/// The links: the directions of castor_interconnect.h, then the hosts.
enum { gm_host = CASTOR_INTERCONNECT_Z_MINUS + 1, gm_links };

/// A line of the map, as it is sent to its Gemini's leader.
typedef struct {
  int tile, direction, type;
  int to[3];  // coordinates of the Gemini at the other end
} gm_line;

typedef struct {
  int tiles;  // 0: there is no such link
  int to[3];
  double rate;  // GB/s
} gm_link;

typedef struct {
  signed char link_of[gm_tiles];
  gm_link links[gm_links];
} gm_tile_map;

/// "X+" to "Z-", "HH".
const char* gm_link_name(int link);

/// A map is begun, given the lines of a Gemini one by one, and completed. `file` is what to call
/// the file that the lines are of.
void gm_begin_tiles(gm_tile_map* map);
int gm_add_line(gm_tile_map* map, const gm_place* place, const gm_line* line, const char* file,
                gm_failure* failure);
int gm_complete_tiles(gm_tile_map* map, const gm_place* place, const char* file,
                      gm_failure* failure);
