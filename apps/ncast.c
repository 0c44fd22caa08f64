// Three skeletons of network load that S3 traces: many ranks send to one (ncast), one to all
// (broadcast), and three applications at once on parts of the machine (multiapp).
//
// S3 says of NCAST: rank 42 gets a message of 4 MB from each other rank of 4,096. Of the other two
// it has the names; what they do here is ours. Messages are memory without data, as long as no
// option asks for bytes.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "ncast";

enum { pattern_ncast, pattern_broadcast, pattern_multiapp };
enum { order_rank, order_any, order_posted };

typedef struct {
  int csv, json, help, data, pattern, order;
  long size, target, rounds;
  double work_us;
} settings;

typedef struct {
  const settings* use;
  MPI_Comm comm;
  int rank, ranks;
  int target;  ///< of the pattern, in `comm`
  unsigned char *out, *in;
} part;

static unsigned char* take_memory(const settings* use) {
  unsigned char* memory = NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (!use->data) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "none");
  }
  MPI_Alloc_mem(use->size, info, &memory);
  if (!use->data) MPI_Info_free(&info);
  return memory;
}

static uint32_t key_of(int rank, long round) { return (uint32_t)(rank * 1009 + (int)round); }

static void check(const part* own, int from, long round) {
  if (own->use->data) check_pattern(name, own->in, own->use->size, key_of(from, round));
}

/// All receives are posted at once. They share memory that has no data.
static void take_all(const part* own) {
  MPI_Request* const requests = malloc((size_t)own->ranks * sizeof *requests);
  if (requests == NULL) {
    fprintf(stderr, "%s: no memory for %d requests\n", name, own->ranks);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
    return;
  }
  int count = 0;
  for (int from = 0; from < own->ranks; ++from) {
    if (from == own->rank) continue;
    MPI_Irecv(own->in, (int)own->use->size, MPI_BYTE, from, 0, own->comm, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

/// One message from each rank to the target, which takes one after the other.
static void send_to_one(const part* own, long round) {
  const int count = (int)own->use->size;
  if (own->rank != own->target) {
    MPI_Request request;
    MPI_Isend(own->out, count, MPI_BYTE, own->target, 0, own->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  if (own->use->order == order_posted) {
    take_all(own);
    return;
  }
  for (int from = 0; from < own->ranks; ++from) {
    if (from == own->rank) continue;
    MPI_Status status;
    MPI_Recv(own->in, count, MPI_BYTE, own->use->order == order_any ? MPI_ANY_SOURCE : from, 0,
             own->comm, &status);
    check(own, status.MPI_SOURCE, round);
  }
}

static void send_to_all(const part* own, long round) {
  const int count = (int)own->use->size;
  unsigned char* const memory = own->rank == own->target ? own->out : own->in;
  MPI_Bcast(memory, count, MPI_BYTE, own->target, own->comm);
  if (own->rank != own->target) check(own, own->target, round);
}

/// A ring: each rank sends to the next and computes meanwhile.
static void send_to_next(const part* own, long round) {
  const int count = (int)own->use->size;
  const int next = (own->rank + 1) % own->ranks;
  const int before = (own->rank + own->ranks - 1) % own->ranks;
  MPI_Request requests[2];
  MPI_Irecv(own->in, count, MPI_BYTE, before, 0, own->comm, &requests[0]);
  MPI_Isend(own->out, count, MPI_BYTE, next, 0, own->comm, &requests[1]);
  corespec_work_ns(own->use->work_us * 1e3);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(own, before, round);
}

/// A third of the ranks each; multiapp's parts take turns rank by rank, so that they share nodes,
/// routers and links.
static int part_of(const settings* use, int rank) {
  return use->pattern == pattern_multiapp ? rank % 3 : use->pattern;
}

static void one_round(const part* own, int which, long round) {
  if (own->use->data) fill_pattern(own->out, own->use->size, key_of(own->rank, round));
  if (which == pattern_ncast) send_to_one(own, round);
  if (which == pattern_broadcast) send_to_all(own, round);
  if (which == pattern_multiapp) send_to_next(own, round);
}

static void report(const settings* use, int ranks, double seconds) {
  static const char* const patterns[] = {"ncast", "broadcast", "multiapp"};
  double most = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  const column columns[] = {{"pattern", "pattern", 10, -1},
                            {"ranks", "ranks", 8, 0},
                            {"size", "size(bytes)", 12, 0},
                            {"rounds", "rounds", 8, 0},
                            {"time", "time(ms)", 14, 4}};
  const cell cells[] = {{patterns[use->pattern], 0},
                        {NULL, (double)ranks},
                        {NULL, (double)use->size},
                        {NULL, (double)use->rounds},
                        {NULL, most * 1e3}};
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

static int measure(const settings* use) {
  int rank = 0;
  int ranks = 0;
  char why[120];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int fewest = use->pattern == pattern_multiapp ? 6 : 2;
  if (ranks < fewest) {
    snprintf(why, sizeof why, "%d ranks: this pattern needs %d or more", ranks, fewest);
    return refuse(name, why);
  }
  if (use->pattern != pattern_multiapp && use->target >= ranks) {
    snprintf(why, sizeof why, "--target: rank %ld, and the job has %d ranks", use->target, ranks);
    return refuse(name, why);
  }
  part own = {.use = use};
  const int which = part_of(use, rank);
  MPI_Comm_split(MPI_COMM_WORLD, which, rank, &own.comm);
  MPI_Comm_rank(own.comm, &own.rank);
  MPI_Comm_size(own.comm, &own.ranks);
  own.target = (int)(use->target < own.ranks ? use->target : 0);
  own.out = take_memory(use);
  own.in = take_memory(use);
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  for (long round = 0; round < use->rounds; ++round) one_round(&own, which, round);
  const double seconds = MPI_Wtime() - from;
  report(use, ranks, seconds);
  MPI_Free_mem(own.in);
  MPI_Free_mem(own.out);
  MPI_Comm_free(&own.comm);
  return exit_ok;
}

static int run(int argc, char** argv) {
  settings use = {.size = 4 << 20, .target = 42, .rounds = 1, .work_us = 100};
  const option options[] = {
      {'\0', "pattern", option_word, &use.pattern, 0, "ncast|broadcast|multiapp",
       "all to one, one to all, or both and a ring on a third of the ranks each (ncast)"},
      {'s', "size", option_bytes, &use.size, 1, NULL, "bytes of a message (4M)"},
      {'\0', "target", option_count, &use.target, 0, NULL,
       "the rank that all send to, or that sends to all (42)"},
      {'i', "rounds", option_count, &use.rounds, 1, NULL, "how often (1)"},
      {'\0', "order", option_word, &use.order, 0, "rank|any|posted",
       "ncast: the target takes messages in the order of ranks, as they come, or posts all "
       "receives "
       "at once (rank)"},
      {'\0', "work-us", option_factor, &use.work_us, 0, "F",
       "multiapp's ring: us of work while a message is under way (100)"},
      {'\0', "data", option_flag, &use.data, 1, NULL, "messages have bytes, which are checked"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "Skeletons of network load: many to one, one to all, several applications at once.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.data && use.order == order_posted) {
    return refuse(name, "--order posted: its receives share one buffer, so not with --data");
  }
  if (use.size > INT32_MAX) return refuse(name, "--size: at most 2147483647 bytes");
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
