/* S0's figure 1 as it is printed, in a function that also cleans up. */
#include <stdio.h>

#include "gpcd_lib.h"

void figure1(void);

/* clang-format off */
void figure1(void) {
gpcd_context_t *ctx;
gpcd_mmr_desc_t *desc;
gpcd_mmr_list_t *p;
int i, j, k;
char name[128];

// Create a counter group, all tile counters
ctx = gpcd_create_context();
for (i = 0; i < 6; i++) // TILE_ROWS
    for (j = 0; j < 8; j++) // TILE_COLS
        for (k = 0; k < 6; k++) // TILE_COUNTERS
            {
                sprintf(name,
                    "GM%d%d_TILE_PERFORMANCE_COUNTERS_%d",
                    i, j, k);
                desc = gpcd_lookup_mmr_byname(name);
                gpcd_context_add_mmr(ctx, desc);
            }

// Sample the tile counters
gpcd_context_read_mmr_vals(ctx);

// Print the counter values
for (p = ctx->list; p; p = p->next)
    printf("Counter %s: Value=%lu\n",
          p->item->name, p->value);

fflush(stdout);
gpcd_remove_context(ctx);
}
