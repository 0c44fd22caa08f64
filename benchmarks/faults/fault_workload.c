// Mixed traffic of MPI, its windows, ARMCI, DMAPP and uGNI, all of whose data is checked: what is
// run while things go wrong by a plan (aprun --faults).
//   aprun -n RANKS fault_workload [--seed N] [--rounds N] [--parts LIST] [--fragile]
// Exit code 0: everything is right. 3: data is wrong, or was done twice or not at all. 4: DMAPP or
// uGNI has returned an error that forbids to go on.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/common/program.h"
#include "benchmarks/faults/workload.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char* const name = "fault_workload";

size_t draw_bytes(uint64_t* state, size_t most) {
  static const size_t limits[] = {8,    256,  512,   1023,  1024,  1025,   4096,
                                  8192, 8193, 16384, 65536, 65537, 262144, 524289};
  const size_t count = sizeof limits / sizeof limits[0];
  const uint64_t pick = draw_below(state, 2 * count);
  const size_t limit = pick < count ? limits[pick] : 2048;
  const size_t bytes = draw_below(state, 3) == 0 ? limit : draw_below(state, limit + 1);
  return bytes < most ? bytes : most;
}

void fill(void* data, size_t bytes, uint64_t seed) {
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t word = draw(&seed);
    memcpy((char*)data + at, &word, bytes - at < 8 ? bytes - at : 8);
  }
}

static void end(const workload* all, const char* what, int code) {
  fprintf(stderr, "%s: rank %d: %s\n", name, all->rank, what);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, code);
}

void fail(const workload* all, const char* what) { end(all, what, 3); }

void give_up(const workload* all, const char* what) { end(all, what, 4); }

void check_bytes(const workload* all, const char* what, const void* data, size_t bytes,
                 uint64_t seed) {
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t word = draw(&seed);
    if (memcmp((const char*)data + at, &word, bytes - at < 8 ? bytes - at : 8) != 0) {
      char line[200];
      snprintf(line, sizeof line, "%s: %zu bytes are wrong from byte %zu on", what, bytes, at);
      fail(all, line);
    }
  }
}

typedef struct {
  const char* name;
  void* (*start)(const workload*);
  void (*round)(const workload*, void*, uint64_t*);
  void (*end)(const workload*, void*);
} part;

static const part parts[] = {{"mpi", mpi_start, mpi_round, mpi_end},
                             {"windows", windows_start, windows_round, windows_end},
                             {"armci", armci_start, armci_round, armci_end},
                             {"dmapp", dmapp_start, dmapp_round, dmapp_end},
                             {"ugni", ugni_start, ugni_round, ugni_end}};
enum { part_count = sizeof parts / sizeof parts[0] };

// The parts that a list names; false if a name is none.
static int read_parts(const char* list, int* wanted) {
  char copy[100];
  if (strlen(list) >= sizeof copy) return 0;
  strcpy(copy, list);
  for (char* word = strtok(copy, ","); word != NULL; word = strtok(NULL, ",")) {
    int found = 0;
    for (int i = 0; i < part_count; ++i) {
      if (strcmp(word, parts[i].name) == 0) found = wanted[i] = 1;
    }
    if (!found) return 0;
  }
  return 1;
}

static int run(int argc, char** argv) {
  struct {
    int fragile, help;
    long seed, rounds;
    const char* parts;
  } use = {0, 0, 1, 8, "mpi,windows,armci,dmapp,ugni"};
  const option options[] = {
      {'s', "seed", option_count, &use.seed, 0, "N", "what is drawn: sizes, peers, data (1)"},
      {'\0', "rounds", option_count, &use.rounds, 1, "N", "of each part (8)"},
      {'\0', "parts", option_text, &use.parts, 0, "LIST", "of mpi,windows,armci,dmapp,ugni (all)"},
      {'\0', "fragile", option_flag, &use.fragile, 1, NULL,
       "the part ugni takes any error for wrong data: a run that fails on purpose"},
      HELP_OPTION('h', use)};
  const int code = read_options(name, "Mixed traffic whose data is checked.", options,
                                sizeof options / sizeof options[0], &use.help, argc, argv);
  if (code != exit_done) return code;
  int wanted[part_count] = {0};
  if (!read_parts(use.parts, wanted)) {
    return refuse(name, "--parts: mpi, windows, armci, dmapp and ugni are allowed, with commas");
  }
  workload all;
  MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
  all.fragile = use.fragile;
  void* started[part_count];
  for (int i = 0; i < part_count; ++i) {
    if (wanted[i]) started[i] = parts[i].start(&all);
  }
  uint64_t state = (uint64_t)use.seed * 0x2545f4914f6cdd1dULL + 1;
  for (long round = 0; round < use.rounds; ++round) {
    for (int i = 0; i < part_count; ++i) {
      if (wanted[i]) parts[i].round(&all, started[i], &state);
    }
  }
  for (int i = part_count - 1; i >= 0; --i) {
    if (wanted[i]) parts[i].end(&all, started[i]);
  }
  if (all.rank == 0) printf("%s: %ld rounds of %s are right\n", name, use.rounds, use.parts);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
