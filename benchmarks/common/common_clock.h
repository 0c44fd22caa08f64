// One clock for all ranks: delays from one rank's clock to another's, and starts at one moment.
#pragma once

#include "benchmarks/common/program.h"
#include "corespec_work.h"

/// exit_done where all ranks have one clock, as in virtual time and on one host, or the code to
/// end with.
static inline int need_common_clock(const char* program) {
  int* global = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, (void*)&global, &found);
  if (found && *global) return exit_done;
  return refuse(program, "needs ranks with one clock (MPI_WTIME_IS_GLOBAL)");
}

/// Returns on all ranks at one moment of the common clock, which is the result, in seconds.
static inline double start_together(void) {
  const double margin = 1e-3;  // the slowest rank's way out of the reduction
  const double now = MPI_Wtime();
  double latest = 0;
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double start = latest + margin;
  const double rest = start - MPI_Wtime();
  if (rest > 0) corespec_work_ns(rest * 1e9);
  return start;
}
