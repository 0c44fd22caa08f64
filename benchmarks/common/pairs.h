// Pairs of ranks between two halves of a job (two nodes, when the launcher fills nodes in order).
#pragma once

#include "benchmarks/common/program.h"

/// A rank's part: rank i of the lower half works with rank i + size/2; pairs above `count` idle.
typedef struct {
  int rank, partner, count;
  int lower;   ///< the half that starts
  int active;  ///< takes part at all
} pairing;

/// Options that all pairwise programs share.
typedef struct {
  int csv, json, help;
  long iterations, pairs;
  size_list sizes;
} pair_settings;

/// What speaks against running with these settings on `ranks` ranks, or NULL.
static inline const char* find_pair_mistake(const pair_settings* use, int ranks) {
  if (ranks % 2 != 0) return "needs an even number of ranks";
  if (use->pairs > ranks / 2) return "--pairs: needs two ranks for each pair";
  if (use->csv && use->json) return "--csv or --json, not both";
  if (largest_size(&use->sizes) > 1L << 30) return "messages have at most 1G bytes";
  return NULL;
}

/// This rank's part when `pairs` pairs are wanted (0: all there are).
static inline pairing find_pair(long pairs) {
  pairing self;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  self.count = pairs > 0 ? (int)pairs : size / 2;
  self.lower = self.rank < size / 2;
  self.partner = self.lower ? self.rank + size / 2 : self.rank - size / 2;
  self.active = self.rank % (size / 2) < self.count;
  return self;
}

/// Mean and largest of `value` over the pairs' lower ranks; meaningful on rank 0.
static inline void reduce_over_pairs(const pairing* self, double value, double* mean,
                                     double* largest) {
  // A pair that has sent its part would go on to the next size and take bandwidth from pairs that
  // are still at this one.
  MPI_Barrier(MPI_COMM_WORLD);
  const double mine = self->lower && self->active ? value : 0.0;
  double sum = 0.0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  *mean = sum / self->count;
}
