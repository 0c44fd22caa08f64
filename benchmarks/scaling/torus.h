// The torus of ranks on which the halo exchanges of the scaling programs run.
#pragma once

/// A 3-D torus of ranks, x fastest.
typedef struct {
  int size[3];
} torus;

/// The most cubic torus of `ranks` ranks.
static inline torus make_torus(int ranks) {
  torus best = {{ranks, 1, 1}};
  long best_surface = -1;
  for (int x = 1; x * x <= ranks || x == 1; ++x) {
    if (ranks % x != 0) continue;
    const int plane = ranks / x;
    for (int y = 1; y * y <= plane; ++y) {  // y and z change places beyond
      if (plane % y != 0) continue;
      const int z = plane / y;
      const long surface = (long)x * y + (long)y * z + (long)x * z;
      if (best_surface >= 0 && surface >= best_surface) continue;
      best_surface = surface;
      best = (torus){{x, y, z}};
    }
  }
  return best;
}

/// The rank `steps` (-1, 0 or 1) further along a dimension.
static inline int torus_step(const torus* shape, int rank, int dimension, int steps) {
  int stride = 1;
  for (int d = 0; d < dimension; ++d) stride *= shape->size[d];
  const int length = shape->size[dimension];
  const int position = rank / stride % length;
  const int moved = (position + length + steps) % length;
  return rank + (moved - position) * stride;
}
