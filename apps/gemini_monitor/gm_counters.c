// A Gemini's counters, read tile by tile and summed link by link.
#include "apps/gemini_monitor/gm_counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apps/gemini_monitor/gemini_monitor.h"

gpcd_context_t* gm_open_counters(gm_failure* failure) {
  gpcd_context_t* const context = gpcd_create_context();
  bool added = context != NULL;
  for (int tile = 0; added && tile < gm_tiles; ++tile) {
    for (int counter = 0; added && counter < gm_counters; ++counter) {
      char name[64];
      snprintf(name, sizeof name, "GM_%d_%d_TILE_PERFORMANCE_COUNTERS_%d", tile / gm_tile_columns,
               tile % gm_tile_columns, counter);
      added = gpcd_context_add_mmr(context, gpcd_lookup_mmr_byname(name)) == 0;
    }
  }
  if (added) return context;
  gm_fail(failure, errno == ENOMEM ? GEMINI_ERR_MEMORY : GEMINI_ERR_COUNTERS,
          "a context of all counters: %s", strerror(errno));
  if (context != NULL) gpcd_remove_context(context);
  return NULL;
}

size_t gm_counters_bytes(void) {
  return sizeof(gpcd_context_t) + (size_t)gm_tiles * gm_counters * sizeof(gpcd_mmr_list_t);
}

int gm_take_sample(gpcd_context_t* context, const gm_tile_map* map, gm_sample* sample) {
  if (gpcd_context_read_mmr_vals(context) != 0) return errno != 0 ? errno : EIO;
  memset(sample, 0, sizeof *sample);
  int left = gm_tiles * gm_counters;
  for (const gpcd_mmr_list_t* entry = context->list; entry != NULL; entry = entry->next) {
    --left;  // the last one that was added comes first
    sample->counts[map->link_of[left / gm_counters]][left % gm_counters] += entry->value;
  }
  return 0;
}
