// Which of a Gemini's tiles belong to which link, where each link leads and how fast it is.
#include "apps/gemini_monitor/gm_tiles.h"

#include <string.h>

#include "apps/gemini_monitor/gemini_monitor.h"

enum { no_link = -1, host_tiles = 8 };

/// GB/s of a tile: S0's table II, with as many digits as make figure 4's sums.
static double tile_rate(int type) {
  switch (type) {
    case CASTOR_INTERCONNECT_MEZZANINE:
      return 2.34375;
    case CASTOR_INTERCONNECT_BACKPLANE:
      return 1.875;
    default:
      return 1.171875;
  }
}

static const double host_tile_rate = 1.300125;

const char* gm_link_name(int link) {
  return link == gm_host ? "HH" : castor_interconnect_direction_name(link);
}

void gm_begin_tiles(gm_tile_map* map) {
  memset(map, 0, sizeof *map);
  memset(map->link_of, no_link, sizeof map->link_of);
}

int gm_add_line(gm_tile_map* map, const gm_place* place, const gm_line* line, const char* file,
                gm_failure* failure) {
  const int* const at = place->at;
  const char* const name = gm_link_name(line->direction);
  if (map->link_of[line->tile] != no_link) {
    return gm_fail(failure, GEMINI_ERR_MAP,
                   "%s: the Gemini at (%d,%d,%d) has two lines of its tile %d in row %d", file,
                   at[0], at[1], at[2], line->tile % gm_tile_columns, line->tile / gm_tile_columns);
  }
  gm_link* const link = &map->links[line->direction];
  if (link->tiles != 0 && memcmp(link->to, line->to, sizeof link->to) != 0) {
    return gm_fail(failure, GEMINI_ERR_MAP,
                   "%s: %s of the Gemini at (%d,%d,%d) leads to (%d,%d,%d) and to (%d,%d,%d)", file,
                   name, at[0], at[1], at[2], link->to[0], link->to[1], link->to[2], line->to[0],
                   line->to[1], line->to[2]);
  }
  map->link_of[line->tile] = (signed char)line->direction;
  ++link->tiles;
  memcpy(link->to, line->to, sizeof link->to);
  link->rate += tile_rate(line->type);
  return GEMINI_SUCCESS;
}

int gm_complete_tiles(gm_tile_map* map, const gm_place* place, const char* file,
                      gm_failure* failure) {
  const int* const at = place->at;
  gm_link* const host = &map->links[gm_host];
  int lines = 0;
  for (int tile = 0; tile < gm_tiles; ++tile) {
    if (map->link_of[tile] != no_link) {
      ++lines;
    } else {
      map->link_of[tile] = gm_host;
    }
  }
  if (lines == 0 && !place->only) {
    return gm_fail(failure, GEMINI_ERR_MAP, "%s: no line of the Gemini at (%d,%d,%d)", file, at[0],
                   at[1], at[2]);
  }
  // Eight tiles are the hosts'. Where a ring has one Gemini more tiles have no line: they lead
  // nowhere, and count nothing.
  host->tiles = host_tiles;
  host->rate = host_tiles * host_tile_rate;
  memcpy(host->to, at, sizeof host->to);
  return GEMINI_SUCCESS;
}
