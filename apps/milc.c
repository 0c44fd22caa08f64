// A miniature of MILC's traffic: the gathers of an Asqtad operator on a four-dimensional lattice of
// complex 3-vectors, from first and third neighbours in both directions of each dimension.
//
// A rank starts gathers, works on what it has, waits for them, and works on what came. Sizes and
// counts are those of the message profile in Cray's paper (its table 4): of the messages between
// 2 and 4 KB and of those between 8 and 16 KB there are eight each to an operator; what else the
// profile has is sent beside them at its own rate. Ranks have more or less to do, each always the
// same: that is what they wait for each other.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/imbalance.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "milc";

enum { dimensions = 4, signs = 2, classes = 7 };

/// Messages of one kind: bytes for each site of the face that they cross, and how many there are
/// to an operator and rank.
typedef struct {
  double bytes_per_site, per_operator;
} message_class;

/// First and third neighbours, then the rest of the profile: its counts divided by 118,526, which
/// is an eighth of its messages between 8 and 16 KB; the smallest and largest sizes of a class
/// leave its size open.
static const message_class profile[classes] = {{6.0, 8},       {18.0, 8},       {1.3333, 2.394},
                                               {2.6667, .829}, {5.3333, 1.848}, {12.0, .303},
                                               {36.0, .9045}};
static const double profile_operators = 118526;

/// The share of an operator's work that multiplies by links of one sign; the rest, solver and sums
/// of vectors, overlaps with nothing.
static const double half_operator = 0.4;

typedef struct {
  int csv, json, help;
  long rounds, space, time;
  double site_ns, imbalance, variation;
} settings;

/// A message that comes, and the one that goes the other way round.
typedef struct {
  int from, to, tag;
  long bytes;
  unsigned char *in, *out;
  MPI_Request requests[2];
} gather;

typedef struct {
  int rank, ranks;
  int grid[dimensions], place[dimensions];
  long volume;
  long face[dimensions];
  gather* gathers;  ///< of one operator: those started first, then the others
  int count, first;
  long long sent[classes];
  unsigned char* memory;
} lattice_part;

/// The next prime factor goes to the dimension in which a rank has most, as MILC's layout does.
static int divide(lattice_part* part, const settings* use) {
  long local[dimensions] = {use->space, use->space, use->space, use->time};
  for (int d = 0; d < dimensions; ++d) part->grid[d] = 1;
  int left = part->ranks;
  for (int prime = left; left > 1;) {
    for (prime = 2; left % prime != 0; ++prime) {
    }
    int best = -1;
    for (int d = 0; d < dimensions; ++d) {
      if (local[d] % prime == 0 && (best < 0 || local[d] > local[best])) best = d;
    }
    if (best < 0) return 0;
    local[best] /= prime;
    part->grid[best] *= prime;
    left /= prime;
  }
  part->volume = 1;
  for (int d = 0; d < dimensions; ++d) part->volume *= local[d];
  for (int d = 0; d < dimensions; ++d) part->face[d] = part->volume / local[d];
  for (int d = 0, rest = part->rank; d < dimensions; ++d) {
    part->place[d] = rest % part->grid[d];
    rest /= part->grid[d];
  }
  return 1;
}

static int neighbour(const lattice_part* part, int dimension, int step) {
  int rank = 0;
  for (int d = dimensions - 1; d >= 0; --d) {
    const int at = part->place[d] + (d == dimension ? step : 0);
    rank = rank * part->grid[d] + (at + part->grid[d]) % part->grid[d];
  }
  return rank;
}

/// How many messages of a class the operators before `round` have had.
static long long before(int class, long round) {
  return (long long)(profile[class].per_operator * (double)round + 1e-9);
}

static void add(lattice_part* part, int class, int direction) {
  const int d = direction / signs % dimensions;
  const int step = direction % signs == 0 ? 1 : -1;
  gather* made = &part->gathers[part->count++];
  made->from = neighbour(part, d, step);
  made->to = neighbour(part, d, -step);
  made->tag = class * dimensions * signs + d * signs + direction % signs;
  made->bytes = (long)(profile[class].bytes_per_site * (double)part->face[d]) / 8 * 8;
  if (made->bytes < 8) made->bytes = 8;
}

/// The gathers of an operator. From the positive directions first.
static void plan(lattice_part* part, long round) {
  part->count = 0;
  for (int sign = 0; sign < signs; ++sign) {
    for (int d = 0; d < dimensions; ++d) {
      add(part, 0, d * signs + sign);
      add(part, 1, d * signs + sign);
    }
    if (sign == 0) part->first = part->count;
  }
  for (int class = 2; class < classes; ++class) {
    for (long long i = before(class, round); i < before(class, round + 1); ++i) {
      add(part, class, (int)(i % (dimensions * signs)));
    }
  }
  unsigned char* at = part->memory;
  for (int i = 0; i < part->count; ++i) {
    part->gathers[i].in = at;
    part->gathers[i].out = at + part->gathers[i].bytes;
    at += 2 * part->gathers[i].bytes;
  }
}

static uint64_t stamp(int rank, long round, int tag) {
  return ((uint64_t)rank * 1000003u + (uint64_t)round) * 1009u + (uint64_t)tag;
}

static void start(const lattice_part* part, int begin, int end, long round) {
  for (int i = begin; i < end; ++i) {
    gather* one = &part->gathers[i];
    MPI_Irecv(one->in, (int)one->bytes, MPI_BYTE, one->from, one->tag, MPI_COMM_WORLD,
              &one->requests[0]);
  }
  for (int i = begin; i < end; ++i) {
    gather* one = &part->gathers[i];
    const uint64_t mark = stamp(part->rank, round, one->tag);
    memcpy(one->out, &mark, sizeof mark);
    memcpy(one->out + one->bytes - sizeof mark, &mark, sizeof mark);
    MPI_Isend(one->out, (int)one->bytes, MPI_BYTE, one->to, one->tag, MPI_COMM_WORLD,
              &one->requests[1]);
  }
}

/// Seconds waited; `wrong` counts messages with another's contents.
static double wait_for(const lattice_part* part, int begin, int end, long round, long* wrong) {
  const double from = MPI_Wtime();
  for (int i = begin; i < end; ++i) {
    MPI_Waitall(2, part->gathers[i].requests, MPI_STATUSES_IGNORE);
  }
  const double waited = MPI_Wtime() - from;
  for (int i = begin; i < end; ++i) {
    const gather* one = &part->gathers[i];
    const uint64_t mark = stamp(one->from, round, one->tag);
    if (memcmp(one->in, &mark, sizeof mark) != 0 ||
        memcmp(one->in + one->bytes - sizeof mark, &mark, sizeof mark) != 0) {
      ++*wrong;
    }
  }
  return waited;
}

typedef struct {
  double time, waited;
} seconds;

/// Operators between two barriers, of which a global sum ends every other, as in a conjugate
/// gradient.
static seconds iterate(lattice_part* part, const settings* use, long* wrong) {
  const double own_work =
      (double)part->volume * use->site_ns * drawn(part->rank, 0, use->imbalance);
  seconds result = {0, 0};
  double sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  for (long round = 0; round < use->rounds; ++round) {
    const double work = own_work * drawn(part->rank, round + 1, use->variation);
    plan(part, round);
    start(part, 0, part->first, round);
    corespec_work_ns(work * half_operator);
    start(part, part->first, part->count, round);
    result.waited += wait_for(part, 0, part->first, round, wrong);
    corespec_work_ns(work * half_operator);
    result.waited += wait_for(part, part->first, part->count, round, wrong);
    corespec_work_ns(work * (1 - 2 * half_operator));
    if (round % 2 == 1) {
      const double own = 1;
      MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (sum != (double)part->ranks) ++*wrong;
    }
  }
  result.time = MPI_Wtime() - from;
  return result;
}

static void report(const settings* use, const lattice_part* part, seconds own, int ok) {
  seconds most = {0, 0};
  double waited = 0;
  MPI_Reduce(&own, &most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own.waited, &waited, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (part->rank != 0) return;
  const double run = profile_operators / (double)use->rounds;
  const column columns[] = {{"ranks", "ranks", 8, 0},
                            {"operators", "operators", 10, 0},
                            {"time", "ms", 12, 4},
                            {"wait_mean", "mean wait", 12, 4},
                            {"wait_max", "max wait", 12, 4},
                            {"run", "run(s)", 10, 1},
                            {"run_wait_mean", "mean wait(s)", 13, 1},
                            {"run_wait_max", "max wait(s)", 13, 1},
                            {"ok", "ok", 4, -1}};
  const double each = 1e3 / (double)use->rounds;
  const cell cells[] = {
      {NULL, (double)part->ranks},         {NULL, (double)use->rounds}, {NULL, most.time * each},
      {NULL, waited / part->ranks * each}, {NULL, most.waited * each},  {NULL, most.time * run},
      {NULL, waited / part->ranks * run},  {NULL, most.waited * run},   {ok ? "yes" : "no", 0}};
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

static int measure(const settings* use) {
  lattice_part part;
  memset(&part, 0, sizeof part);
  MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &part.ranks);
  if (!divide(&part, use)) {
    return refuse(name, "the lattice cannot be divided among so many ranks");
  }
  // Room for the most messages that an operator has: one more of each class than on average.
  double most = 0;
  int messages = 0;
  for (int class = 0; class < classes; ++class) {
    long widest = 0;
    for (int d = 0; d < dimensions; ++d) widest = part.face[d] > widest ? part.face[d] : widest;
    const int count = (int)profile[class].per_operator + 1;
    messages += count;
    most += 2 * count * (profile[class].bytes_per_site * (double)widest + 8);
  }
  part.memory = make_buffer(name, (long)most);
  part.gathers = (gather*)calloc((size_t)messages, sizeof *part.gathers);
  if (part.gathers == NULL) MPI_Abort(MPI_COMM_WORLD, exit_failed);
  long wrong = 0;
  const seconds own = iterate(&part, use, &wrong);
  long all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  report(use, &part, own, all_wrong == 0);
  free(part.gathers);
  free(part.memory);
  return all_wrong == 0 ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.rounds = 10, .site_ns = 1340, .imbalance = 0.58, .space = 64, .time = 144};
  const option options[] = {
      {'i', "operators", option_count, &use.rounds, 1, NULL, "operators (10)"},
      {'\0', "space", option_count, &use.space, 1, NULL, "sites in x, y and z (64)"},
      {'\0', "time", option_count, &use.time, 1, NULL, "sites in t (144)"},
      {'\0', "site-ns", option_factor, &use.site_ns, 0, "F", "ns of work for each site (1340)"},
      {'\0', "imbalance", option_factor, &use.imbalance, 0, "F",
       "ranks have up to so much more or less to do, of 1 (0.58)"},
      {'\0', "variation", option_factor, &use.variation, 0, "F",
       "and from operator to operator (0)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "A miniature of MILC's gathers; ms an operator, and seconds of a run as in the paper.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.space > 1024 || use.time > 1024) {
    return refuse(name, "--space and --time: at most 1024");
  }
  if (use.imbalance > 1 || use.variation > 1) {
    return refuse(name, "--imbalance and --variation: at most 1");
  }
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
