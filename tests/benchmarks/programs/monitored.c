/* A program that calls the Gemini monitor library: monitored COMM STEPS [FILE].
 *
 * COMM: world, odd (the odd ranks), reversed (the last rank first), null.
 * STEPS, a letter each: i init, r read, p print, f free, o print to FILE from here on, n init and
 * read with null pointers, x read with another communicator, b barrier, d a delay of 100 us,
 * w rank 0 writes 6,400 bytes to the last rank of the world, s the same backwards.
 * Rank 0 of COMM prints, as its last line on standard error, what the library's calls returned, or
 * that ranks differ.
 *
 * With KNOWN_COUNTERS it has counters of its own, so that their values are known: at the n-th read
 * n * n * 2^20 * (1000 * counter + tile + 1). COUNTERS_FAIL=RANK:N has the N-th read of a rank
 * fail.
 */
#include <errno.h>
#include <gemini_monitor.h>
#include <gpcd_lib.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { window_bytes = 6400, most_steps = 32 };

#ifdef KNOWN_COUNTERS
int gpcd_context_read_mmr_vals(gpcd_context_t* context) {
  static uint64_t reads = 0;
  int rank = 0, failing_rank = -1, failing_read = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const failure = getenv("COUNTERS_FAIL");
  if (failure != NULL) sscanf(failure, "%d:%d", &failing_rank, &failing_read);
  ++reads;
  if (rank == failing_rank && (int)reads == failing_read) {
    errno = ENOTSUP;
    return -1;
  }
  for (gpcd_mmr_list_t* entry = context->list; entry != NULL; entry = entry->next) {
    int row = 0, column = 0, counter = 0;
    sscanf(entry->item->name, "GM_%d_%d_TILE_PERFORMANCE_COUNTERS_%d", &row, &column, &counter);
    entry->value = reads * reads * (uint64_t)(1000 * counter + 8 * row + column + 1) << 20;
  }
  return 0;
}
#endif

static MPI_Comm communicator(const char* name) {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (strcmp(name, "null") == 0) return MPI_COMM_NULL;
  if (strcmp(name, "odd") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 1 ? 0 : MPI_UNDEFINED, 0, &comm);
  } else if (strcmp(name, "reversed") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  }
  return comm;
}

static void write_bytes(MPI_Win window, int from, int to) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != from) return;
  unsigned char bytes[window_bytes];
  for (int i = 0; i < window_bytes; ++i) bytes[i] = (unsigned char)(i * 151 + i / 256);
  MPI_Put(bytes, window_bytes, MPI_BYTE, to, 0, window_bytes, MPI_BYTE, window);
  MPI_Win_flush(to, window);
}

static int step(char letter, MPI_Comm comm, gemini_state_t* state, MPI_Win window,
                const char* file) {
  int rank = 0, ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  switch (letter) {
    case 'i':
      return gemini_init_state(comm, state);
    case 'r':
      return gemini_read_counters(comm, state);
    case 'p':
      return gemini_print_counters(comm, state);
    case 'f':
      return gemini_free_state(comm, state);
    case 'o':
      return gemini_set_output(state, rank == 0 ? fopen(file, "w") : NULL);
    case 'n':
      return 10 * gemini_init_state(comm, NULL) + gemini_read_counters(comm, NULL);
    case 'x':
      return gemini_read_counters(MPI_COMM_SELF, state);
    case 'b':
      MPI_Barrier(comm);
      break;
    case 'd':
      corespec_work_ns(1e5);
      break;
    case 'w':
      write_bytes(window, 0, ranks - 1);
      break;
    case 's':
      write_bytes(window, ranks - 1, 0);
      break;
    default:
      break;
  }
  return -1; /* no call of the library */
}

/* What the library's calls returned, if that is the same on all ranks. */
static void print_codes(MPI_Comm comm, const int* codes, int count) {
  int rank = 0;
  int least[most_steps], most[most_steps];
  if (comm == MPI_COMM_NULL) comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(codes, least, count, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(codes, most, count, MPI_INT, MPI_MAX, comm);
  if (rank != 0) return;
  fprintf(stderr, "codes:");
  for (int i = 0; i < count; ++i) {
    if (least[i] != most[i]) fprintf(stderr, " differ");
    if (least[i] == most[i] && codes[i] >= 0) fprintf(stderr, " %d", codes[i]);
  }
  fprintf(stderr, "\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3 || strlen(argv[2]) > most_steps) return 2;
  static unsigned char memory[window_bytes];
  MPI_Win window;
  MPI_Win_create(memory, window_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  const MPI_Comm comm = communicator(argv[1]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (comm != MPI_COMM_NULL || strcmp(argv[1], "null") == 0) {
    gemini_state_t state;
    memset(&state, 0, sizeof state);
    const int steps = (int)strlen(argv[2]);
    int codes[most_steps];
    for (int i = 0; i < steps; ++i) {
      codes[i] = step(argv[2][i], comm, &state, window, argc > 3 ? argv[3] : NULL);
    }
    print_codes(comm, codes, steps);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
