// MiniGhost's grid of ranks: how large it is, and which rank has which place in it.
#pragma once

#include <stdint.h>

enum { grid_dimensions = 3 };

/// Which rank has which place.
typedef enum {
  mapping_noremap,  ///< the ranks' own order: so many ranks in a row are neighbours in z
  mapping_remap,    ///< so many ranks in a row are a block of the grid
  mapping_random    ///< every place has a rank drawn for it
} grid_mapping;

/// How the blocks of mapping_remap are counted: which blocks the two nodes of a Gemini have, and
/// how far away in the torus a block's other neighbours are.
typedef enum {
  blocks_x_first,  ///< the two nodes have neighbours in x
  blocks_z_first   ///< in z, as the ranks of mapping_noremap are counted
} grid_block_order;

typedef struct {
  long size[grid_dimensions];   ///< ranks in x, y, z
  long block[grid_dimensions];  ///< of mapping_remap
  grid_mapping mapping;
  uint32_t seed;  ///< of mapping_random
  grid_block_order block_order;
} rank_grid;

static inline long grid_ranks(const rank_grid* grid) {
  return grid->size[0] * grid->size[1] * grid->size[2];
}

/// A place's number, z fastest; and back.
static inline long place_number(const long* size, const long* place) {
  return (place[0] * size[1] + place[1]) * size[2] + place[2];
}
static inline void place_of_number(const long* size, long number, long* place) {
  place[2] = number % size[2];
  place[1] = number / size[2] % size[1];
  place[0] = number / (size[2] * size[1]);
}

/// A block's number among `size` of them; and back.
static inline long block_number(grid_block_order order, const long* size, const long* place) {
  if (order == blocks_z_first) return place_number(size, place);
  return (place[2] * size[1] + place[1]) * size[0] + place[0];
}
static inline void block_of_number(grid_block_order order, const long* size, long number,
                                   long* place) {
  if (order == blocks_z_first) {
    place_of_number(size, number, place);
    return;
  }
  place[0] = number % size[0];
  place[1] = number / size[0] % size[1];
  place[2] = number / (size[0] * size[1]);
}

enum { draw_rounds = 6 };

static inline uint32_t draw_bits(const rank_grid* grid, int round, uint32_t half) {
  uint32_t x = half * 2654435761u + (uint32_t)round * 2246822519u + grid->seed * 3266489917u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  x *= 3266489917u;
  return x ^ x >> 16;
}

/// A permutation of all numbers below 4^bits (a Feistel network), or its inverse.
static inline uint32_t permuted(const rank_grid* grid, int bits, int inverse, uint32_t number) {
  const uint32_t mask = (1u << bits) - 1;
  uint32_t high = number >> bits;
  uint32_t low = number & mask;
  for (int i = 0; i < draw_rounds; ++i) {
    if (inverse) {
      const uint32_t before = high;
      high = low ^ (draw_bits(grid, draw_rounds - 1 - i, before) & mask);
      low = before;
    } else {
      const uint32_t before = low;
      low = high ^ (draw_bits(grid, i, before) & mask);
      high = before;
    }
  }
  return high << bits | low;
}

/// A permutation of the grid's numbers, or its inverse. No rank has a table of it: numbers beyond
/// the grid are drawn again.
static inline long drawn_number(const rank_grid* grid, int inverse, long number) {
  int bits = 1;
  while (1L << (2 * bits) < grid_ranks(grid)) ++bits;
  do {
    number = (long)permuted(grid, bits, inverse, (uint32_t)number);
  } while (number >= grid_ranks(grid));
  return number;
}

static inline void blocks_of(const rank_grid* grid, long* blocks) {
  for (int d = 0; d < grid_dimensions; ++d) blocks[d] = grid->size[d] / grid->block[d];
}

static inline long rank_at(const rank_grid* grid, const long* place) {
  if (grid->mapping == mapping_noremap) return place_number(grid->size, place);
  if (grid->mapping == mapping_random) {
    return drawn_number(grid, 0, place_number(grid->size, place));
  }
  long blocks[grid_dimensions];
  long block[grid_dimensions];
  long within[grid_dimensions];
  blocks_of(grid, blocks);
  for (int d = 0; d < grid_dimensions; ++d) {
    block[d] = place[d] / grid->block[d];
    within[d] = place[d] % grid->block[d];
  }
  const long each = grid->block[0] * grid->block[1] * grid->block[2];
  return block_number(grid->block_order, blocks, block) * each + place_number(grid->block, within);
}

static inline void place_of(const rank_grid* grid, long rank, long* place) {
  if (grid->mapping == mapping_noremap) {
    place_of_number(grid->size, rank, place);
    return;
  }
  if (grid->mapping == mapping_random) {
    place_of_number(grid->size, drawn_number(grid, 1, rank), place);
    return;
  }
  long blocks[grid_dimensions];
  long block[grid_dimensions];
  long within[grid_dimensions];
  blocks_of(grid, blocks);
  const long each = grid->block[0] * grid->block[1] * grid->block[2];
  block_of_number(grid->block_order, blocks, rank / each, block);
  place_of_number(grid->block, rank % each, within);
  for (int d = 0; d < grid_dimensions; ++d) place[d] = block[d] * grid->block[d] + within[d];
}
