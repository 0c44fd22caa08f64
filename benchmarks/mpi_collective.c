// One collective operation by message size: from a common start until the last rank has it. With
// the library's algorithm, or up a binomial tree and down, each message answered before its sender
// goes on; what it gives is checked.
#include <mpi.h>

#include "benchmarks/common/common_clock.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "mpi_collective";

enum { algorithm_library, algorithm_tree };
enum {
  collective_allreduce,
  collective_reduce,
  collective_bcast,
  collective_barrier,
  collective_gather,
  collective_scatter,
  collective_allgather,
  collective_alltoall
};
enum { data_tag = 1, answer_tag = 2 };

typedef struct {
  int csv, json, help, collective, algorithm;
  long iterations;
  size_list sizes;
} settings;

/// What a rank gives and gets; `count` doubles are a message, or a block of one rank's.
typedef struct {
  int rank, ranks, count;
  double *out, *in;
  long iteration;
} state;

static void must_be(double found, double expected) {
  if (found == expected) return;
  fprintf(stderr, "%s: %.17g instead of %.17g\n", name, found, expected);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// Element i of what `from` has for `to`: whole numbers, whose sums are exact.
static double element(const state* own, int from, int to, int i) {
  return (double)from + (double)to * 131072.0 + (double)(i % 1000) + (double)(own->iteration % 7);
}

/// Of all ranks' elements i for rank 0.
static double sum_of_elements(const state* own, int i) {
  return (double)own->ranks * ((double)own->ranks - 1) / 2 +
         (double)own->ranks * element(own, 0, 0, i);
}

/// The largest power of two below `ranks`.
static int top_of_tree(int ranks) {
  int top = 1;
  while (top * 2 < ranks) top *= 2;
  return top;
}

static void send_up_or_down(const state* own, int to) {
  MPI_Send(own->in, own->count, MPI_DOUBLE, to, data_tag, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, to, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take(const state* own, double* memory, int from) {
  MPI_Recv(memory, own->count, MPI_DOUBLE, from, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_BYTE, from, answer_tag, MPI_COMM_WORLD);
}

/// Sums up to rank 0: the upper half sends to the lower one, then of that the upper half, and so
/// on.
static void up_the_tree(state* own) {
  for (int half = top_of_tree(own->ranks); half > 0; half /= 2) {
    if (own->rank >= half) {
      send_up_or_down(own, own->rank - half);
      return;
    }
    if (own->rank + half >= own->ranks) continue;
    take(own, own->out, own->rank + half);
    for (int i = 0; i < own->count; ++i) own->in[i] += own->out[i];
  }
}

/// From rank 0 on: those that have it send it to as many others.
static void down_the_tree(state* own) {
  for (int half = 1; half < own->ranks; half *= 2) {
    if (own->rank >= 2 * half) continue;
    if (own->rank >= half) {
      take(own, own->in, own->rank - half);
    } else if (own->rank + half < own->ranks) {
      send_up_or_down(own, own->rank + half);
    }
  }
}

static void once_by_tree(const settings* use, state* own) {
  const int what = use->collective;
  if (what != collective_bcast) up_the_tree(own);
  if (what != collective_reduce) down_the_tree(own);
}

static void once_by_library(const settings* use, state* own) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int n = own->count;
  switch (use->collective) {
    case collective_allreduce:
      MPI_Allreduce(own->out, own->in, n, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case collective_reduce:
      MPI_Reduce(own->out, own->in, n, MPI_DOUBLE, MPI_SUM, 0, comm);
      break;
    case collective_bcast:
      MPI_Bcast(own->in, n, MPI_DOUBLE, 0, comm);
      break;
    case collective_barrier:
      MPI_Barrier(comm);
      break;
    case collective_gather:
      MPI_Gather(own->out, n, MPI_DOUBLE, own->in, n, MPI_DOUBLE, 0, comm);
      break;
    case collective_scatter:
      MPI_Scatter(own->out, n, MPI_DOUBLE, own->in, n, MPI_DOUBLE, 0, comm);
      break;
    case collective_allgather:
      MPI_Allgather(own->out, n, MPI_DOUBLE, own->in, n, MPI_DOUBLE, comm);
      break;
    default:
      MPI_Alltoall(own->out, n, MPI_DOUBLE, own->in, n, MPI_DOUBLE, comm);
  }
}

/// Whether a rank gives (gets) a block for (of) each other.
static int gives_blocks(const settings* use) {
  return use->collective == collective_scatter || use->collective == collective_alltoall;
}
static int gets_blocks(const settings* use) {
  return use->collective == collective_gather || use->collective == collective_allgather ||
         use->collective == collective_alltoall;
}

static void fill(const settings* use, state* own) {
  const int blocks = gives_blocks(use) ? own->ranks : 1;
  for (int to = 0; to < blocks; ++to) {
    for (int i = 0; i < own->count; ++i) {
      own->out[(long)to * own->count + i] = element(own, own->rank, to, i);
    }
  }
  // A tree sums where it receives; a broadcast begins there.
  const int gives = use->algorithm == algorithm_tree || own->rank == 0;
  for (int i = 0; i < own->count; ++i) own->in[i] = gives ? element(own, own->rank, 0, i) : 0;
}

static void check(const settings* use, const state* own) {
  const int what = use->collective;
  const int at_root = what == collective_reduce || what == collective_gather;
  if (what == collective_barrier || (at_root && own->rank != 0)) return;
  const int blocks = gets_blocks(use) ? own->ranks : 1;
  for (int from = 0; from < blocks; ++from) {
    for (int i = 0; i < own->count; ++i) {
      const double expected = what == collective_allreduce || what == collective_reduce
                                  ? sum_of_elements(own, i)
                                  : element(own, from, gives_blocks(use) ? own->rank : 0, i);
      must_be(own->in[(long)from * own->count + i], expected);
    }
  }
}

/// Seconds from the common start until the last rank has ended.
static double one_iteration(const settings* use, state* own) {
  fill(use, own);
  const double start = start_together();
  if (use->algorithm == algorithm_tree) {
    once_by_tree(use, own);
  } else {
    once_by_library(use, own);
  }
  const double own_time = MPI_Wtime() - start;
  double slowest = 0;
  check(use, own);
  MPI_Allreduce(&own_time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void measure(const settings* use, state* own, const char* words, long bytes,
                    row_printer* printer) {
  static const char* const algorithms[] = {"library", "tree"};
  char word[32];
  for (int i = 0; i < use->collective; ++i) words += strcspn(words, "|") + 1;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(words, "|"), words);
  if (own->rank == 0) show_progress(word, bytes);
  own->count = (int)(bytes / (long)sizeof(double));
  const long blocks_out = gives_blocks(use) ? own->ranks : 1;
  const long blocks_in = gets_blocks(use) ? own->ranks : 1;
  own->out = (double*)(void*)make_buffer(name, bytes * blocks_out);
  own->in = (double*)(void*)make_buffer(name, bytes * blocks_in);
  double sum = 0;
  for (own->iteration = 0; own->iteration <= use->iterations; ++own->iteration) {
    const double seconds = one_iteration(use, own);
    if (own->iteration > 0) sum += seconds;  // the first one connects
  }
  free(own->out);
  free(own->in);
  if (own->rank != 0) return;
  clear_progress();
  const cell cells[] = {{word, 0},
                        {algorithms[use->algorithm], 0},
                        {NULL, (double)own->ranks},
                        {NULL, (double)bytes},
                        {NULL, (double)use->iterations},
                        {NULL, sum / (double)use->iterations * 1e6}};
  print_row(printer, cells);
}

/// What speaks against these settings, or NULL.
static const char* find_mistake(const settings* use) {
  const int what = use->collective;
  if (use->csv && use->json) return "--csv or --json, not both";
  if (use->algorithm == algorithm_tree && what > collective_barrier) {
    return "--algorithm tree: of allreduce, reduce, bcast and barrier";
  }
  for (int i = 0; i < use->sizes.count; ++i) {
    const long bytes = use->sizes.bytes[i];
    if (bytes % 8 != 0 || bytes > 1L << 26) return "--sizes: multiples of 8, at most 64M";
    if (what == collective_barrier && bytes > 0) return "--sizes: a barrier has none but 0";
  }
  return NULL;
}

static int run(int argc, char** argv) {
  static const char words[] = "allreduce|reduce|bcast|barrier|gather|scatter|allgather|alltoall";
  settings use = {.iterations = 1};
  const option options[] = {
      {'c', "collective", option_word, &use.collective, 0, words, "operation (allreduce)"},
      {'a', "algorithm", option_word, &use.algorithm, 0, "library|tree",
       "the library's, or up a binomial tree and down, each message answered (library)"},
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "bytes of a vector or block, as 8,1K,4M (8; barrier: 0)"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "iterations (1)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  int code =
      read_options(name, "Microseconds until the last rank has ended a collective operation.",
                   options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.sizes.count == 0) add_size(&use.sizes, use.collective == collective_barrier ? 0 : 8);
  const char* mistake = find_mistake(&use);
  if (mistake != NULL) return refuse(name, mistake);
  code = need_common_clock(name);
  if (code != exit_done) return code;
  state own = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own.ranks);
  const column columns[] = {{"collective", "collective", 12, -1},
                            {"algorithm", "algorithm", 11, -1},
                            {"ranks", "ranks", 8, 0},
                            {"msgsize", "msgsize", 10, 0},
                            {"iterations", "iterations", 12, 0},
                            {"time", "time(us)", 14, 3}};
  row_printer printer = {chosen_format(use.csv, use.json), 1, name, columns, 6, 0};
  if (own.rank == 0) print_rows_begin(&printer);
  for (int i = 0; i < use.sizes.count; ++i) {
    measure(&use, &own, words, use.sizes.bytes[i], &printer);
  }
  if (own.rank == 0) print_rows_end(&printer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
