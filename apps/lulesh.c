// A skeleton of LULESH, Livermore's proxy application for hydrodynamics on a mesh of hexahedra: its
// messages, their sizes and order, with the time of its computing.
//
// Weak scaling: a cube of ranks, each with a cube of elements. Nodes on the surface belong to up to
// eight ranks. In a cycle three exchanges follow each other, in the manner of LULESH 2.0: the
// nodes' forces are added up over all who have them (26 neighbours), the nodes' positions and
// velocities are made equal (from one of two neighbours to the other), and the elements' gradients
// go to those across a face. Receives are posted before the computing that makes what is sent. The
// time step is the least that any rank can have. Messages are memory without data, as long as no
// option asks for bytes.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/imbalance.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

// Not CORESPEC_SHARED_IMAGE: a recorder (apps/traces/record) needs a copy of its own for each rank.
CORESPEC_MODELLED_PROGRAM;

static const char name[] = "lulesh";

enum { dimensions = 3, neighbours = 26, most_fields = 6 };
enum { in_columns, in_rows, in_planes };

/// When nodes are made equal.
typedef enum {
  sync_early,  ///< when they have been moved, as in LULESH 2.0 unless it is compiled otherwise
  sync_late,   ///< at the cycle's end
  sync_none    ///< never, as in the run that S2 shows
} sync_time;

typedef struct {
  int csv, json, help, data, sync;
  long size, iterations;
  double force_ns, node_ns, kinematics_ns, gradient_ns, material_ns, constraint_ns, pack_ns;
  double imbalance, variation;
} settings;

/// Where neighbours are, in LULESH's order of messages: across faces, edges, corners. A place is a
/// step in columns, rows and planes.
static const signed char places[neighbours][dimensions] = {
    {0, 0, -1},  {0, 0, 1},   {0, -1, 0}, {0, 1, 0},  {-1, 0, 0},   {1, 0, 0},   {-1, -1, 0},
    {0, -1, -1}, {-1, 0, -1}, {1, 1, 0},  {0, 1, 1},  {1, 0, 1},    {-1, 1, 0},  {0, -1, 1},
    {-1, 0, 1},  {1, -1, 0},  {0, 1, -1}, {1, 0, -1}, {-1, -1, -1}, {-1, -1, 1}, {1, -1, -1},
    {1, -1, 1},  {-1, 1, -1}, {-1, 1, 1}, {1, 1, -1}, {1, 1, 1}};

/// Which neighbours take part.
typedef enum {
  all_of_nodes,  ///< both ways with all
  from_above,    ///< to those below, from those above
  across_faces   ///< both ways, of elements
} partners;

typedef struct {
  int tag, fields;
  partners with;
} exchange;

static const exchange masses = {1024, 1, all_of_nodes};
static const exchange forces = {1024, 3, all_of_nodes};
static const exchange motion = {2048, 6, from_above};
static const exchange gradients = {3072, 3, across_faces};

typedef struct {
  const settings* use;
  int rank, ranks, side;
  int neighbour[neighbours];  ///< MPI_PROC_NULL: the mesh ends here
  unsigned char *in[neighbours], *out[neighbours];
  MPI_Request receives[neighbours];
  long cycle, exchanged;
} domain;

/// Below another one: it has the nodes of both from there.
static int is_below(int i) {
  for (int d = in_planes; d >= in_columns; --d) {
    if (places[i][d] != 0) return places[i][d] < 0;
  }
  return 0;
}

static int is_across_face(int i) {
  return abs(places[i][in_columns]) + abs(places[i][in_rows]) + abs(places[i][in_planes]) == 1;
}

static int sends_to(const exchange* what, int i) {
  if (what->with == from_above) return is_below(i);
  return what->with == all_of_nodes || is_across_face(i);
}

static int receives_from(const exchange* what, int i) {
  return what->with == from_above ? !is_below(i) : sends_to(what, i);
}

/// Values of one message.
static int values_of(const domain* all, const exchange* what, int i) {
  const long along = all->use->size + (what->with == across_faces ? 0 : 1);
  long values = what->fields;
  for (int d = 0; d < dimensions; ++d) values *= places[i][d] == 0 ? along : 1;
  return (int)values;
}

static unsigned char* take_message(const domain* all, int i) {
  const exchange largest = {0, most_fields, all_of_nodes};
  unsigned char* memory = NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (!all->use->data) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "none");
  }
  MPI_Alloc_mem((MPI_Aint)values_of(all, &largest, i) * (MPI_Aint)sizeof(double), info, &memory);
  if (!all->use->data) MPI_Info_free(&info);
  return memory;
}

static void open_domain(domain* all) {
  const int side = all->side;
  const int place[dimensions] = {all->rank % side, all->rank / side % side,
                                 all->rank / (side * side)};
  for (int i = 0; i < neighbours; ++i) {
    int there = 0;
    int is_there = 1;
    for (int d = in_planes; d >= in_columns; --d) {
      const int at = place[d] + places[i][d];
      is_there = is_there && at >= 0 && at < side;
      there = there * side + at;
    }
    all->neighbour[i] = is_there ? there : MPI_PROC_NULL;
    if (!is_there) continue;
    all->in[i] = take_message(all, i);
    all->out[i] = take_message(all, i);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);  // LULESH seeds its random regions with it
}

static void close_domain(domain* all) {
  for (int i = 0; i < neighbours; ++i) {
    if (all->neighbour[i] == MPI_PROC_NULL) continue;
    MPI_Free_mem(all->in[i]);
    MPI_Free_mem(all->out[i]);
  }
}

/// What the bytes of a message depend on; `i` is where the sender has its neighbour.
static uint32_t key_of(long rank, long exchanged, int i) {
  return (uint32_t)((rank * 1009 + exchanged) * neighbours + i);
}

static int opposite(int i) {
  int other = 0;
  while (places[other][0] != -places[i][0] || places[other][1] != -places[i][1] ||
         places[other][2] != -places[i][2]) {
    ++other;
  }
  return other;
}

static void post_receives(domain* all, const exchange* what) {
  if (all->ranks == 1) return;
  int rank = 0;
  for (int i = 0; i < neighbours; ++i) all->receives[i] = MPI_REQUEST_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < neighbours; ++i) {
    if (all->neighbour[i] == MPI_PROC_NULL || !receives_from(what, i)) continue;
    MPI_Irecv(all->in[i], values_of(all, what, i), MPI_DOUBLE, all->neighbour[i], what->tag,
              MPI_COMM_WORLD, &all->receives[i]);
  }
}

/// LULESH waits for all 26 requests, those that it has not made, too.
static void send_all(domain* all, const exchange* what) {
  if (all->ranks == 1) return;
  MPI_Request sends[neighbours];
  MPI_Status statuses[neighbours];
  int rank = 0;
  int count = 0;
  for (int i = 0; i < neighbours; ++i) sends[i] = MPI_REQUEST_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < neighbours; ++i) {
    if (all->neighbour[i] == MPI_PROC_NULL || !sends_to(what, i)) continue;
    const int values = values_of(all, what, i);
    corespec_work_ns(all->use->pack_ns * values);
    if (all->use->data) {
      fill_pattern(all->out[i], values * (long)sizeof(double),
                   key_of(all->rank, all->exchanged, i));
    }
    MPI_Isend(all->out[i], values, MPI_DOUBLE, all->neighbour[i], what->tag, MPI_COMM_WORLD,
              &sends[count++]);
  }
  MPI_Waitall(neighbours, sends, statuses);
}

/// One receive after the other, in the order in which they were posted.
static void take_all(domain* all, const exchange* what) {
  if (all->ranks == 1) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < neighbours; ++i) {
    if (all->receives[i] == MPI_REQUEST_NULL) continue;
    MPI_Status status;
    MPI_Wait(&all->receives[i], &status);
    const int values = values_of(all, what, i);
    corespec_work_ns(all->use->pack_ns * values);
    if (all->use->data) {
      check_pattern(name, all->in[i], values * (long)sizeof(double),
                    key_of(all->neighbour[i], all->exchanged, opposite(i)));
    }
  }
  ++all->exchanged;
}

/// A phase of this cycle, so many ns for each element.
static void compute(const domain* all, double element_ns) {
  const settings* use = all->use;
  const double elements = (double)use->size * (double)use->size * (double)use->size;
  corespec_work_ns(elements * element_ns * drawn(all->rank, 0, use->imbalance) *
                   drawn(all->rank, all->cycle + 1, use->variation));
}

/// The least of what ranks could do, checked.
static void agree_on_time_step(const domain* all) {
  const double own = 1 + (double)((all->rank + all->cycle) % all->ranks);
  double least = 0;
  MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  if (least == 1) return;
  fprintf(stderr, "%s: rank %d: a time step of %g, must be 1\n", name, all->rank, least);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

static void run_cycle(domain* all) {
  const settings* use = all->use;
  if (all->cycle > 0) agree_on_time_step(all);
  post_receives(all, &forces);
  compute(all, use->force_ns);
  send_all(all, &forces);
  take_all(all, &forces);
  if (use->sync == sync_early) post_receives(all, &motion);
  compute(all, use->node_ns);
  if (use->sync == sync_early) {
    send_all(all, &motion);
    take_all(all, &motion);
  }
  compute(all, use->kinematics_ns);
  post_receives(all, &gradients);
  compute(all, use->gradient_ns);
  send_all(all, &gradients);
  take_all(all, &gradients);
  compute(all, use->material_ns);
  if (use->sync == sync_late) {
    post_receives(all, &motion);
    send_all(all, &motion);
  }
  compute(all, use->constraint_ns);
  if (use->sync == sync_late) take_all(all, &motion);
  ++all->cycle;
}

/// `seconds` of the slowest rank; at rank 0.
static void report(const domain* all, double seconds) {
  static const char* const times[] = {"early", "late", "none"};
  const settings* use = all->use;
  const double elements =
      (double)all->ranks * (double)use->size * (double)use->size * (double)use->size;
  const column columns[] = {{"ranks", "ranks", 8, 0},       {"size", "size", 6, 0},
                            {"sync", "sync", 7, -1},        {"iterations", "iterations", 12, 0},
                            {"time", "time(s)", 12, 6},     {"cycle", "cycle(ms)", 12, 4},
                            {"rate", "elements/us", 13, 3}, {"ok", "ok", 4, -1}};
  const cell cells[] = {{NULL, (double)all->ranks},
                        {NULL, (double)use->size},
                        {times[use->sync], 0},
                        {NULL, (double)use->iterations},
                        {NULL, seconds},
                        {NULL, seconds / (double)use->iterations * 1e3},
                        {NULL, elements * (double)use->iterations / (seconds * 1e6)},
                        {"yes", 0}};  // else a rank has ended the job
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

static int measure(const settings* use) {
  domain all;
  memset(&all, 0, sizeof all);
  all.use = use;
  MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
  while ((long)(all.side + 1) * (all.side + 1) * (all.side + 1) <= all.ranks) ++all.side;
  if (all.side * all.side * all.side != all.ranks) {
    char why[100];
    snprintf(why, sizeof why, "%d ranks: must be a cube, like %d", all.ranks,
             all.side * all.side * all.side);
    return refuse(name, why);
  }
  open_domain(&all);
  post_receives(&all, &masses);
  send_all(&all, &masses);
  take_all(&all, &masses);
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  while (all.cycle < use->iterations) run_cycle(&all);
  const double own = MPI_Wtime() - from;
  double longest = 0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (all.rank == 0) report(&all, longest);
  close_domain(&all);
  return exit_ok;
}

static int run(int argc, char** argv) {
  settings use = {.size = 50,
                  .iterations = 100,
                  .force_ns = 2220,
                  .node_ns = 70,
                  .kinematics_ns = 620,
                  .gradient_ns = 310,
                  .material_ns = 1120,
                  .constraint_ns = 60,
                  .pack_ns = 4};
  const option options[] = {
      {'s', "size", option_count, &use.size, 1, NULL,
       "elements along a side of a rank's cube (50)"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "cycles (60)"},
      {'\0', "sync", option_word, &use.sync, 0, "early|late|none",
       "when positions and velocities are made equal (early)"},
      {'\0', "force-ns", option_factor, &use.force_ns, 0, "F",
       "ns for each element: stress and hourglass forces (2220)"},
      {'\0', "node-ns", option_factor, &use.node_ns, 0, "F",
       "acceleration, velocities and positions (70)"},
      {'\0', "kinematics-ns", option_factor, &use.kinematics_ns, 0, "F",
       "volumes and strain rates (620)"},
      {'\0', "gradient-ns", option_factor, &use.gradient_ns, 0, "F",
       "gradients of the velocities (310)"},
      {'\0', "material-ns", option_factor, &use.material_ns, 0, "F",
       "artificial viscosity and equation of state (1120)"},
      {'\0', "constraint-ns", option_factor, &use.constraint_ns, 0, "F",
       "limits of the time step (100)"},
      {'\0', "pack-ns", option_factor, &use.pack_ns, 0, "F",
       "ns for each value packed or unpacked (4)"},
      {'\0', "imbalance", option_factor, &use.imbalance, 0, "F",
       "ranks have up to so much more or less to do, of 1 (0)"},
      {'\0', "variation", option_factor, &use.variation, 0, "F", "and from cycle to cycle (0)"},
      {'\0', "data", option_flag, &use.data, 1, NULL, "messages have bytes, which are checked"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code =
      read_options(name, "A skeleton of LULESH: nodes and elements exchanged with 26 neighbours.",
                   options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.size > 1000) return refuse(name, "--size: at most 1000");
  if (use.imbalance > 1 || use.variation > 1) {
    return refuse(name, "--imbalance and --variation: at most 1");
  }
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
