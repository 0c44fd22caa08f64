// How much more or less than others a rank has to do.
#pragma once

#include <stdint.h>

/// A number between 1 - spread and 1 + spread, evenly spread over the ranks and the draws: the same
/// for the same rank and draw in every run.
static inline double drawn(int rank, long draw, double spread) {
  uint32_t x = (uint32_t)rank * 2654435761u + (uint32_t)draw * 2246822519u + 12345u;
  x ^= x >> 16;
  x *= 2246822519u;
  x ^= x >> 13;
  return 1 + spread * (2.0 * (double)x / 4294967295.0 - 1);
}
