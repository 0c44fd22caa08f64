// A Gemini's counters, read tile by tile and summed link by link.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "apps/gemini_monitor/gm_failure.h"
#include "apps/gemini_monitor/gm_tiles.h"
#include "gpcd_lib.h"

/// In the order of S0's table I: phits and packets of either channel, input and output stalls.
enum { gm_counters = 6 };

typedef struct {
  uint64_t counts[gm_links][gm_counters];
} gm_sample;

/// All counters of all tiles of the caller's Gemini; null without memory.
gpcd_context_t* gm_open_counters(gm_failure* failure);
/// Memory of such a context.
size_t gm_counters_bytes(void);

/// Returns 0, or what errno says.
int gm_take_sample(gpcd_context_t* context, const gm_tile_map* map, gm_sample* sample);
