// A skeleton of MiniGhost, Sandia's miniapp of halo exchanges: its messages, their sizes and order,
// with the time of its computing.
//
// Weak scaling: each rank has a box of the same size, and several variables in it. In a time step
// the faces of all variables travel together, one message to a neighbour, in three phases one after
// the other (Y, X, Z): so the edges of a 27-point stencil are there in the end, though no rank
// sends to a neighbour across an edge. Then comes the stencil of each variable, and a global sum of
// those that have one. Faces are memory without data, as long as no option asks for bytes.
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemini_monitor/gemini_monitor.h"
#include "apps/minighost_grid.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "minighost";

enum { sides = 2, faces = grid_dimensions * sides };

/// The phases' order.
static const int phases[grid_dimensions] = {1, 0, 2};

/// Which faces travel at one time.
typedef enum {
  exchange_phases,  ///< those of a dimension, as a 27-point stencil needs it
  exchange_at_once  ///< all six, as a 7-point stencil allows it
} exchange_form;

typedef struct {
  int csv, json, help, data, mapping, block_order, exchange;
  long steps, warm_up, vars, percent_sum, seed;
  long size[grid_dimensions], grid[grid_dimensions], block[grid_dimensions];
  double point_ns, pack_ns;
  const char* counters;
} settings;

/// A neighbour, with what goes there and what comes from it.
typedef struct {
  int rank;  ///< MPI_PROC_NULL: the grid ends here
  long bytes;
  unsigned char *in, *out;
} face;

typedef struct {
  const settings* use;
  rank_grid grid;
  int rank, ranks;
  face faces[faces];  ///< of each dimension the lower one, then the upper one
  long wrong;
} box;

/// Sums are whole numbers.
typedef struct {
  double bytes_mean, bytes_max;  ///< that a node sends to others in a step
  double nodes;
} node_traffic;

static unsigned char* take_face(const settings* use, long bytes) {
  unsigned char* memory = NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (!use->data) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "none");
  }
  MPI_Alloc_mem(bytes, info, &memory);
  if (!use->data) MPI_Info_free(&info);
  return memory;
}

/// The ghost layers of dimensions that have been exchanged before are a part of the face, as
/// MiniGhost has it for all.
static long face_bytes(const settings* use, int dimension) {
  long points = 1;
  for (int d = 0; d < grid_dimensions; ++d) points *= d == dimension ? 1 : use->size[d] + 2;
  return points * use->vars * (long)sizeof(double);
}

static void open_box(box* all) {
  long place[grid_dimensions];
  place_of(&all->grid, all->rank, place);
  for (int i = 0; i < faces; ++i) {
    const int d = i / sides;
    face* each = &all->faces[i];
    long there[grid_dimensions];
    memcpy(there, place, sizeof there);
    there[d] += i % sides == 0 ? -1 : 1;
    *each = (face){MPI_PROC_NULL, 0, NULL, NULL};
    if (there[d] < 0 || there[d] >= all->grid.size[d]) continue;
    each->rank = (int)rank_at(&all->grid, there);
    each->bytes = face_bytes(all->use, d);
    each->in = take_face(all->use, each->bytes);
    each->out = take_face(all->use, each->bytes);
  }
}

static void close_box(box* all) {
  for (int i = 0; i < faces; ++i) {
    if (all->faces[i].rank == MPI_PROC_NULL) continue;
    MPI_Free_mem(all->faces[i].in);
    MPI_Free_mem(all->faces[i].out);
  }
}

/// What the bytes of a face depend on; `side` is the one to which the sender has its neighbour.
static uint32_t key_of(long rank, long step, int side) {
  return (uint32_t)(rank * 1009 + step * faces + side);
}

static void pack(const box* all, int side, long step) {
  const face* each = &all->faces[side];
  corespec_work_ns(all->use->pack_ns * (double)each->bytes / (double)sizeof(double));
  if (all->use->data) fill_pattern(each->out, each->bytes, key_of(all->rank, step, side));
}

static void unpack(const box* all, int side, long step) {
  const face* each = &all->faces[side];
  corespec_work_ns(all->use->pack_ns * (double)each->bytes / (double)sizeof(double));
  if (all->use->data)
    check_pattern(name, each->in, each->bytes, key_of(each->rank, step, side ^ 1));
}

/// Of `number` faces from `first` on.
static void exchange(const box* all, int first, int number, long step) {
  MPI_Request requests[2 * faces];
  int count = 0;
  const int end = first + number;
  for (int side = first; side < end; ++side) {
    const face* each = &all->faces[side];
    if (each->rank == MPI_PROC_NULL) continue;
    MPI_Irecv(each->in, (int)each->bytes, MPI_BYTE, each->rank, side ^ 1, MPI_COMM_WORLD,
              &requests[count++]);
  }
  for (int side = first; side < end; ++side) {
    const face* each = &all->faces[side];
    if (each->rank == MPI_PROC_NULL) continue;
    pack(all, side, step);
    MPI_Isend(each->out, (int)each->bytes, MPI_BYTE, each->rank, side, MPI_COMM_WORLD,
              &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int side = first; side < end; ++side) {
    if (all->faces[side].rank != MPI_PROC_NULL) unpack(all, side, step);
  }
}

static void compute(box* all) {
  const settings* use = all->use;
  const double points = (double)use->size[0] * (double)use->size[1] * (double)use->size[2];
  for (long variable = 0; variable < use->vars; ++variable) {
    corespec_work_ns(points * use->point_ns);
    if (variable * 100 >= use->vars * use->percent_sum) continue;
    const double own = 1;
    double sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != (double)all->ranks) ++all->wrong;
  }
}

static void run_step(box* all, long step) {
  if (all->use->exchange == exchange_at_once) {
    exchange(all, 0, faces, step);
  } else {
    for (int phase = 0; phase < grid_dimensions; ++phase) {
      exchange(all, phases[phase] * sides, sides, step);
    }
  }
  compute(all);
}

/// The counters of all Geminis, at a time when no rank has anything under way.
static void read_counters(gemini_state_t* monitor) {
  if (monitor == NULL) return;
  MPI_Barrier(MPI_COMM_WORLD);
  gemini_read_counters(MPI_COMM_WORLD, monitor);
}

/// Seconds of a step. `monitor` may be null.
static double run_steps(box* all, gemini_state_t* monitor) {
  const long warm_up = all->use->warm_up;
  for (long step = 0; step < warm_up; ++step) run_step(all, step);
  read_counters(monitor);
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  for (long step = 0; step < all->use->steps; ++step) run_step(all, warm_up + step);
  const double seconds = (MPI_Wtime() - from) / (double)all->use->steps;
  read_counters(monitor);
  return seconds;
}

/// The same on all ranks: whether rank 0 can write there. `file` is rank 0's.
static int open_file(const char* path, int rank, FILE** file) {
  int opened = 1;
  *file = NULL;
  if (rank == 0) {
    *file = fopen(path, "w");
    opened = *file != NULL;
    if (!opened) fprintf(stderr, "%s: --counters: %s: %s\n", name, path, strerror(errno));
  }
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return opened;
}

/// The steps, and what the Geminis have counted meanwhile. Where that fails, one rank has said why.
static int run_counted(box* all, double* seconds) {
  FILE* file = NULL;
  gemini_state_t monitor;
  if (!open_file(all->use->counters, all->rank, &file)) return exit_failed;
  int failed = gemini_init_state(MPI_COMM_WORLD, &monitor) != GEMINI_SUCCESS;
  if (!failed) {
    if (file != NULL) gemini_set_output(&monitor, file);
    *seconds = run_steps(all, &monitor);
    failed = gemini_print_counters(MPI_COMM_WORLD, &monitor) != GEMINI_SUCCESS;
    gemini_free_state(MPI_COMM_WORLD, &monitor);
  }
  if (file != NULL) fclose(file);
  return failed ? exit_failed : exit_done;
}

/// Bytes that this rank sends to other nodes in a step.
static double bytes_off_node(const box* all, MPI_Comm node) {
  int world_ranks[faces];
  int node_ranks[faces];
  double bytes = 0;
  MPI_Group world_group;
  MPI_Group node_group;
  for (int i = 0; i < faces; ++i) world_ranks[i] = all->faces[i].rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Comm_group(node, &node_group);
  MPI_Group_translate_ranks(world_group, faces, world_ranks, node_group, node_ranks);
  MPI_Group_free(&world_group);
  MPI_Group_free(&node_group);
  for (int i = 0; i < faces; ++i) {
    const int leaves = world_ranks[i] != MPI_PROC_NULL && node_ranks[i] == MPI_UNDEFINED;
    if (leaves) bytes += (double)all->faces[i].bytes;
  }
  return bytes;
}

/// At rank 0.
static node_traffic traffic_of_nodes(const box* all) {
  MPI_Comm node;
  int rank_on_node = 0;
  double of_node = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank_on_node);
  const double own = bytes_off_node(all, node);
  MPI_Reduce(&own, &of_node, 1, MPI_DOUBLE, MPI_SUM, 0, node);
  MPI_Comm_free(&node);
  const double given[2] = {of_node, rank_on_node == 0 ? 1 : 0};
  double sums[2] = {0, 0};
  node_traffic result = {0, 0, 0};
  MPI_Reduce(given, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&of_node, &result.bytes_max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  result.nodes = sums[1];
  result.bytes_mean = sums[0] / (sums[1] > 0 ? sums[1] : 1);
  return result;
}

static void report(const box* all, double seconds, const node_traffic* traffic, int ok) {
  const settings* use = all->use;
  static const char* const mappings[] = {"noremap", "remap", "random"};
  double least = 0;
  double most = 0;
  double sum = 0;
  MPI_Reduce(&seconds, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (all->rank != 0) return;
  char grid[64];
  snprintf(grid, sizeof grid, "%ldx%ldx%ld", all->grid.size[0], all->grid.size[1],
           all->grid.size[2]);
  const column columns[] = {{"ranks", "ranks", 8, 0},
                            {"nodes", "nodes", 7, 0},
                            {"grid", "grid", 13, -1},
                            {"mapping", "mapping", 9, -1},
                            {"vars", "vars", 6, 0},
                            {"face_bytes", "face(bytes)", 13, 0},
                            {"steps", "steps", 7, 0},
                            {"step_min", "step(ms): min", 14, 4},
                            {"step_mean", "mean", 10, 4},
                            {"step_max", "max", 10, 4},
                            {"node_mean", "off node(MB): mean", 19, 3},
                            {"node_max", "max", 10, 3},
                            {"ok", "ok", 4, -1}};
  const cell cells[] = {{NULL, (double)all->ranks},
                        {NULL, traffic->nodes},
                        {grid, 0},
                        {mappings[use->mapping], 0},
                        {NULL, (double)use->vars},
                        {NULL, (double)face_bytes(use, 0)},
                        {NULL, (double)use->steps},
                        {NULL, least * 1e3},
                        {NULL, sum / all->ranks * 1e3},
                        {NULL, most * 1e3},
                        {NULL, traffic->bytes_mean / 1e6},
                        {NULL, traffic->bytes_max / 1e6},
                        {ok ? "yes" : "no", 0}};
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

/// The most cubic one, longest in z: as many neighbours in z as a node has ranks, if there can be.
static void choose_grid(int ranks, long* grid) {
  int found[grid_dimensions] = {0, 0, 0};
  MPI_Dims_create(ranks, grid_dimensions, found);
  for (int d = 0; d < grid_dimensions; ++d) grid[d] = found[grid_dimensions - 1 - d];
}

/// exit_done, or the code to end with.
static int lay_out(box* all) {
  const settings* use = all->use;
  char why[160];
  memcpy(all->grid.size, use->grid, sizeof use->grid);
  memcpy(all->grid.block, use->block, sizeof use->block);
  all->grid.mapping = (grid_mapping)use->mapping;
  all->grid.block_order = (grid_block_order)use->block_order;
  all->grid.seed = (uint32_t)use->seed;
  if (use->grid[0] == 0) choose_grid(all->ranks, all->grid.size);
  const long* size = all->grid.size;
  if (grid_ranks(&all->grid) != all->ranks) {
    snprintf(why, sizeof why, "--grid: %ldx%ldx%ld are %ld ranks, and the job has %d", size[0],
             size[1], size[2], grid_ranks(&all->grid), all->ranks);
    return refuse(name, why);
  }
  for (int d = 0; d < grid_dimensions; ++d) {
    if (use->mapping != mapping_remap || size[d] % use->block[d] == 0) continue;
    snprintf(why, sizeof why, "--block: %ldx%ldx%ld does not divide the grid of %ldx%ldx%ld ranks",
             use->block[0], use->block[1], use->block[2], size[0], size[1], size[2]);
    return refuse(name, why);
  }
  return exit_done;
}

static int measure(const settings* use) {
  box all;
  memset(&all, 0, sizeof all);
  all.use = use;
  MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
  const int code = lay_out(&all);
  if (code != exit_done) return code;
  open_box(&all);
  double seconds = 0;
  if (use->counters == NULL) {
    seconds = run_steps(&all, NULL);
  } else if (run_counted(&all, &seconds) != exit_done) {
    return exit_failed;
  }
  const node_traffic traffic = traffic_of_nodes(&all);
  long all_wrong = 0;
  MPI_Allreduce(&all.wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  report(&all, seconds, &traffic, all_wrong == 0);
  close_box(&all);
  return all_wrong == 0 ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.steps = 1,
                  .vars = 5,
                  .seed = 1,
                  .size = {100, 100, 100},
                  .block = {2, 2, 4},
                  .point_ns = 12,
                  .pack_ns = 4};
  const option options[] = {
      {'i', "steps", option_count, &use.steps, 1, NULL, "time steps (1)"},
      {'\0', "vars", option_count, &use.vars, 1, NULL, "variables (5)"},
      {'\0', "size", option_box, use.size, 1, "XxYxZ", "points of a rank's box (100x100x100)"},
      {'\0', "grid", option_box, use.grid, 1, "XxYxZ", "ranks (the most cubic, longest in z)"},
      {'\0', "mapping", option_word, &use.mapping, 0, "noremap|remap|random",
       "which rank has which place (noremap)"},
      {'\0', "block", option_box, use.block, 1, "XxYxZ", "of remap: ranks of a node (2x2x4)"},
      {'\0', "block-order", option_word, &use.block_order, 0, "x-first|z-first",
       "of remap: how blocks are counted (x-first)"},
      {'\0', "seed", option_count, &use.seed, 0, NULL, "of random (1)"},
      {'\0', "exchange", option_word, &use.exchange, 0, "phases|at-once",
       "faces of one dimension at a time, or all six (phases)"},
      {'\0', "warm-up", option_count, &use.warm_up, 0, NULL,
       "steps before those that are timed and counted (0)"},
      {'\0', "percent-sum", option_count, &use.percent_sum, 0, NULL,
       "of the variables, percent that have a global sum in each step (0)"},
      {'\0', "point-ns", option_factor, &use.point_ns, 0, "F",
       "ns of work for each point and variable (12)"},
      {'\0', "pack-ns", option_factor, &use.pack_ns, 0, "F",
       "ns for each value packed or unpacked (4)"},
      {'\0', "data", option_flag, &use.data, 1, NULL, "faces have bytes, which are checked"},
      {'\0', "counters", option_text, &use.counters, 0, "FILE",
       "write what the Geminis have counted during the steps (GEMINI_INTERCONNECT)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "A skeleton of MiniGhost: the halo exchange of a 27-point stencil, weakly scaled.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.vars > 1000) return refuse(name, "--vars: at most 1000");
  if (use.percent_sum > 100) return refuse(name, "--percent-sum: at most 100");
  for (int d = 0; d < grid_dimensions; ++d) {
    if (use.size[d] > 500) return refuse(name, "--size: at most 500 in each dimension");
  }
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
