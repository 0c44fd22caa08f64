// A miniature of S3D's hybrid form: ranks with threads, ghost planes by non-blocking messages.
//
// A field is really computed (s3d_field.h); around it is what S3D does for all its species: blocks
// of work, shared by the rank's threads, under each of which messages are on their way. Counts and
// sizes are those of Cray's profile (tables 1 and 2), for each time step: of 60, the number of
// steps that divides the table's counts and comes nearest to its time.
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "apps/imbalance.h"
#include "apps/s3d_field.h"
#include "benchmarks/common/program.h"
#include "corespec_team.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "s3d";

/// Of one time step: the profile's counts divided by 60. A block ends in one MPI_Waitall for
/// several messages, or in two MPI_Wait for one.
enum {
  waitall_blocks = 1020,
  wait_blocks = 116,
  blocks = waitall_blocks + wait_blocks,
  large_messages = 4978,  ///< 64 KB to 1 MB: ghost planes
  small_messages = 1680,  ///< 256 bytes to 4 KB
  reductions = 30,        ///< below 16 bytes
  most_messages = 8       ///< of one block
};
static const int small_bytes = 2048;

/// How much longer a block is that ends in MPI_Wait: in table 1 a wait there takes 47.4 s of 13,920
/// calls in pairs, a Waitall 78.9 s of 61,200, and waits are as long as the blocks before them.
static const double wait_block_length = 5.28;

typedef struct {
  int csv, json, help;
  long steps, points, threads;
  double serial_s, parallel_s, imbalance, variation;
} settings;

typedef struct {
  double step, waitall, wait;
} seconds;

typedef struct {
  const settings* use;
  int rank, ranks;
  int grid[field_dimensions], place[field_dimensions];
  int neighbour[field_faces];
  field_box box;
  corespec_team team;
  double* in[most_messages];
  unsigned char* small_out;
  unsigned char* small_in[most_messages];
  double seen[field_faces][2];  ///< a face's first and last value, as it first came in this stage
  long wrong;
  seconds own;
} solver;

/// One block's messages.
typedef struct {
  MPI_Request requests[4 * most_messages];
  int large, small;
  long first;  ///< of the stage's large messages
  int waits;   ///< ends in MPI_Wait
} block;

static int opposite(int face) { return face ^ 1; }

/// How many of `total`, spread evenly over `of`, come before the `index`th.
static long before(long total, long index, long of) { return total * index / of; }

static block plan_block(long index, long* sent) {
  block made;
  const long waits = before(wait_blocks, index, blocks);
  made.waits = before(wait_blocks, index + 1, blocks) != waits;
  const long at = index - waits;
  const long more = large_messages - wait_blocks;
  made.large = made.waits
                   ? 1
                   : (int)(before(more, at + 1, waitall_blocks) - before(more, at, waitall_blocks));
  made.small = made.waits ? 0
                          : (int)(before(small_messages, at + 1, waitall_blocks) -
                                  before(small_messages, at, waitall_blocks));
  made.first = *sent;
  *sent += made.large;
  return made;
}

/// Messages go round the faces: what one rank sends over a face, its neighbour gets at the
/// opposite.
static void start_block(solver* all, block* now) {
  const int size = (int)face_size(&all->box);
  MPI_Request* request = now->requests;
  for (int i = 0; i < now->large; ++i) {
    const int face = opposite((int)((now->first + i) % field_faces));
    MPI_Irecv(all->in[i], size, MPI_DOUBLE, all->neighbour[face], i, MPI_COMM_WORLD, request++);
  }
  for (int i = 0; i < now->small; ++i) {
    const int face = opposite(i % field_faces);
    MPI_Irecv(all->small_in[i], small_bytes, MPI_BYTE, all->neighbour[face], most_messages + i,
              MPI_COMM_WORLD, request++);
  }
  for (int i = 0; i < now->large; ++i) {
    const int face = (int)((now->first + i) % field_faces);
    MPI_Isend(all->box.face[face], size, MPI_DOUBLE, all->neighbour[face], i, MPI_COMM_WORLD,
              request++);
  }
  for (int i = 0; i < now->small; ++i) {
    MPI_Isend(all->small_out, small_bytes, MPI_BYTE, all->neighbour[i % field_faces],
              most_messages + i, MPI_COMM_WORLD, request++);
  }
}

/// The stage's first messages bring the ghosts; all later ones must bring the same planes.
static void take_block(solver* all, const block* now) {
  const long last = face_size(&all->box) - 1;
  for (int i = 0; i < now->large; ++i) {
    const int face = opposite((int)((now->first + i) % field_faces));
    const double ends[2] = {all->in[i][0], all->in[i][last]};
    if (now->first + i < field_faces) {
      unpack_face(&all->box, face, all->in[i]);
      memcpy(all->seen[face], ends, sizeof ends);
    } else if (memcmp(all->seen[face], ends, sizeof ends) != 0) {
      ++all->wrong;
    }
  }
  for (int i = 0; i < now->small; ++i) {
    int from = 0;
    memcpy(&from, all->small_in[i], sizeof from);
    if (from != all->neighbour[opposite(i % field_faces)]) ++all->wrong;
  }
}

static void finish_block(solver* all, block* now) {
  const double from = MPI_Wtime();
  const int count = 2 * (now->large + now->small);
  if (now->waits) {
    for (int i = 0; i < count; ++i) MPI_Wait(&now->requests[i], MPI_STATUS_IGNORE);
    all->own.wait += MPI_Wtime() - from;
  } else {
    MPI_Waitall(count, now->requests, MPI_STATUSES_IGNORE);
    all->own.waitall += MPI_Wtime() - from;
  }
  take_block(all, now);
}

/// What the threads do under a block's messages: the first also what only one can do.
typedef struct {
  double serial_ns, each_ns;
} block_work;

static void work_on_block(void* argument, int thread) {
  const block_work* work = (const block_work*)argument;
  corespec_work_ns(work->each_ns + (thread == 0 ? work->serial_ns : 0));
}

typedef struct {
  solver* all;
  int stage;
} stage_work;

static void work_on_stage(void* argument, int thread) {
  const stage_work* work = (const stage_work*)argument;
  advance_slab(&work->all->box, work->stage, thread, work->all->team.threads);
}

static void region(solver* all, void (*body)(void*, int), void* argument) {
  if (corespec_team_run(&all->team, body, argument)) return;
  fprintf(stderr, "%s: the system gives no threads\n", name);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

static void run_block(solver* all, long step, long index, long* sent) {
  const settings* use = all->use;
  block now = plan_block(index, sent);
  const double share = (now.waits ? wait_block_length : 1) /
                       (waitall_blocks + wait_blocks * wait_block_length) * 1e9 *
                       drawn(all->rank, 0, use->imbalance) *
                       drawn(all->rank, 1 + step * blocks + index, use->variation);
  block_work work = {share * use->serial_s, share * use->parallel_s / (double)use->threads};
  start_block(all, &now);
  region(all, work_on_block, &work);
  finish_block(all, &now);
}

static void run_stage(solver* all, long step, int stage) {
  long sent = 0;
  pack_faces(&all->box);
  for (long index = before(blocks, stage, field_stages);
       index < before(blocks, stage + 1, field_stages); ++index) {
    run_block(all, step, index, &sent);
  }
  stage_work work = {all, stage};
  region(all, work_on_stage, &work);
  end_stage(&all->box, stage);
  for (int i = 0; i < reductions / field_stages; ++i) {
    const double own = 1;
    double sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != (double)all->ranks) ++all->wrong;
  }
}

static void run_steps(solver* all) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  for (long step = 0; step < all->use->steps; ++step) {
    for (int stage = 0; stage < field_stages; ++stage) run_stage(all, step, stage);
  }
  all->own.step = MPI_Wtime() - from;
}

/// Cuts the ranks into a grid and finds out where each is.
static void find_neighbours(solver* all) {
  MPI_Dims_create(all->ranks, field_dimensions, all->grid);
  int stride = 1;
  for (int d = 0; d < field_dimensions; ++d) {
    const int here = all->rank / stride % all->grid[d];
    all->place[d] = here;
    for (int side = 0; side < 2; ++side) {
      const int there = (here + (side == 0 ? all->grid[d] - 1 : 1)) % all->grid[d];
      all->neighbour[2 * d + side] = all->rank + (there - here) * stride;
    }
    stride *= all->grid[d];
  }
}

static void open_solver(solver* all, const settings* use) {
  memset(all, 0, sizeof *all);
  all->use = use;
  MPI_Comm_rank(MPI_COMM_WORLD, &all->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all->ranks);
  find_neighbours(all);
  if (!open_field(&all->box, (int)use->points, all->place, all->grid) ||
      !corespec_team_start(&all->team, (int)use->threads)) {
    fprintf(stderr, "%s: no memory, or no threads\n", name);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  all->small_out = make_buffer(name, small_bytes);
  memcpy(all->small_out, &all->rank, sizeof all->rank);
  for (int i = 0; i < most_messages; ++i) {
    all->in[i] = (double*)(void*)make_buffer(name, face_size(&all->box) * (long)sizeof(double));
    all->small_in[i] = make_buffer(name, small_bytes);
  }
}

static void close_solver(solver* all) {
  corespec_team_end(&all->team);
  close_field(&all->box);
  free(all->small_out);
  for (int i = 0; i < most_messages; ++i) {
    free(all->in[i]);
    free(all->small_in[i]);
  }
}

static void report(const solver* all, double error, uint64_t checksum, int ok) {
  const settings* use = all->use;
  seconds mean = {0, 0, 0};
  double most = 0;
  MPI_Reduce(&all->own, &mean, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&all->own.step, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (all->rank != 0) return;
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, checksum);
  const double each = 1.0 / (double)use->steps;
  const double of_ranks = each / all->ranks;
  const column columns[] = {
      {"ranks", "ranks", 8, 0},   {"threads", "threads", 8, 0},     {"steps", "steps", 6, 0},
      {"step", "step(s)", 10, 4}, {"waitall", "Waitall(s)", 11, 4}, {"wait", "Wait(s)", 10, 4},
      {"error", "error", 12, 9},  {"checksum", "checksum", 18, -1}, {"ok", "ok", 4, -1}};
  const cell cells[] = {{NULL, (double)all->ranks},
                        {NULL, (double)use->threads},
                        {NULL, (double)use->steps},
                        {NULL, most * each},
                        {NULL, mean.waitall * of_ranks},
                        {NULL, mean.wait * of_ranks},
                        {NULL, error},
                        {text, 0},
                        {ok ? "yes" : "no", 0}};
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

/// The field may be off by what nine points to a wave of eight still resolve.
static const double largest_error = 1e-2;

static int compute(const settings* use) {
  solver all;
  open_solver(&all, use);
  run_steps(&all);
  const double error = field_error(&all.box, use->steps);
  const uint64_t checksum = field_checksum(&all.box);
  double all_error = 0;
  uint64_t all_checksum = 0;
  long all_wrong = 0;
  MPI_Allreduce(&error, &all_error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&checksum, &all_checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&all.wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const int ok = all_wrong == 0 && all_error < largest_error;
  report(&all, all_error, all_checksum, ok);
  close_solver(&all);
  return ok ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.steps = 1,
                  .points = 48,
                  .threads = 16,
                  .serial_s = 2.03,
                  .parallel_s = 12.3,
                  .imbalance = 0.2,
                  .variation = 0.6};
  const option options[] = {
      {'i', "steps", option_count, &use.steps, 1, NULL, "time steps (1)"},
      {'t', "threads", option_count, &use.threads, 1, NULL, "threads of a rank (16)"},
      {'\0', "points", option_count, &use.points, 4, NULL,
       "points along a side of a rank's box (48)"},
      {'\0', "serial-s", option_factor, &use.serial_s, 0, "F",
       "seconds of a step's work that threads do not share (2.03)"},
      {'\0', "parallel-s", option_factor, &use.parallel_s, 0, "F",
       "seconds of a step's work that they share (12.3)"},
      {'\0', "imbalance", option_factor, &use.imbalance, 0, "F",
       "ranks have up to so much more or less to do, of 1 (0.2)"},
      {'\0', "variation", option_factor, &use.variation, 0, "F", "and from block to block (0.6)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "A miniature of hybrid S3D: ranks with threads that exchange ghost planes; s a step.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.points > 512) return refuse(name, "--points: at most 512");
  if (use.threads > 1024) return refuse(name, "--threads: at most 1024");
  if (use.imbalance > 1 || use.variation > 1) {
    return refuse(name, "--imbalance and --variation: at most 1");
  }
  return compute(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
