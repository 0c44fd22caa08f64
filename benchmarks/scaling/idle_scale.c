// Scaling: ranks that have started MPI and make no call; rank 0 says what memory the process holds
// meanwhile. All ranks share one image.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "idle_scale";

/// KB of the process's memory that is resident; -1 if the system does not say.
static long resident_kb(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  long pages[2] = {0, 0};
  const int found = fscanf(file, "%ld %ld", &pages[0], &pages[1]);
  fclose(file);
  return found == 2 ? pages[1] * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

/// No rank sends or waits for anything: each computes for a while on its own, and all have started
/// well before half of it is over.
static int run(int argc, char** argv) {
  int help = 0;
  long milliseconds = 1000;
  const option options[] = {{'t', "time", option_count, &milliseconds, 2, NULL,
                             "milliseconds between start and end (1000)"},
                            {'h', "help", option_flag, &help, 1, NULL, "this text"}};
  const int code =
      read_options(name, "Makes no call on any rank; prints the memory resident meanwhile.",
                   options, 2, &help, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  corespec_work_ns((double)milliseconds * 0.5e6);
  if (rank == 0) printf("program=%s ranks=%d resident_kb=%ld\n", name, size, resident_kb());
  corespec_work_ns((double)milliseconds * 0.5e6);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
