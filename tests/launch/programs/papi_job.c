/* What PAPI says that a Gemini has counted, beside what GPCD says: papi_job INTERCONNECT_FILE.
   Neither names Castor's library of events, with which it is linked. */
#include <castor_interconnect.h>
#include <gpcd_lib.h>
#include <mpi.h>
#include <papi.h>
#include <rca_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corespec/include/corespec_work.h"

#ifdef SHARED
CORESPEC_SHARED_IMAGE;
#else
CORESPEC_MODELLED_PROGRAM;
#endif

enum { rows = 6, columns = 8, counters = 6, tiles = rows * columns, links = 7, hosts = 6 };

static const char* const counter_names[counters] = {
    "GM_TILE_PERF_VC0_PHIT_CNT", "GM_TILE_PERF_VC1_PHIT_CNT", "GM_TILE_PERF_VC0_PKT_CNT",
    "GM_TILE_PERF_VC1_PKT_CNT",  "GM_TILE_PERF_INQ_STALL",    "GM_TILE_PERF_CREDIT_STALL"};

static int link_of[tiles];
static gpcd_context_t* context;

/* What GPCD reads of each tile, and each link's sum of it. */
typedef struct {
  long long tile[tiles][counters], link[links][counters];
} reading;

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "papi_job: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int take_line(const castor_interconnect_line_t* line, void* own) {
  const rca_mesh_coord_t* at = own;
  if (line->from.x == at->mesh_x && line->from.y == at->mesh_y && line->from.z == at->mesh_z) {
    link_of[line->from.tile_row * columns + line->from.tile_column] = (int)line->direction;
  }
  return 0;
}

static void find_links(const char* file) {
  rs_node_t node;
  rca_mesh_coord_t at;
  char error[200];
  check(rca_get_nodeid(&node) == 0, "no node");
  check(rca_get_meshcoord((uint16_t)node.rs_node_s._node_id, &at) == 0, "no coordinates");
  for (int tile = 0; tile < tiles; ++tile) link_of[tile] = hosts;
  check(castor_interconnect_read_file(file, take_line, &at, error, sizeof error) == 0, error);
}

static void make_context(void) {
  context = gpcd_create_context();
  /* The list begins with the register that was added last. */
  for (int number = tiles * counters - 1; number >= 0; --number) {
    char name[64];
    const int tile = number / counters;
    snprintf(name, sizeof name, "GM_%d_%d_TILE_PERFORMANCE_COUNTERS_%d", tile / columns,
             tile % columns, number % counters);
    check(gpcd_context_add_mmr(context, gpcd_lookup_mmr_byname(name)) == 0, name);
  }
}

static reading read_gpcd(void) {
  reading now;
  memset(&now, 0, sizeof now);
  if (gpcd_context_read_mmr_vals(context) != 0) return now;
  int number = 0;
  for (gpcd_mmr_list_t* entry = context->list; entry != NULL; entry = entry->next, ++number) {
    const int tile = number / counters, counter = number % counters;
    now.tile[tile][counter] = (long long)entry->value;
    now.link[link_of[tile]][counter] += (long long)entry->value;
  }
  return now;
}

/* An event, and where a reading has the same. */
typedef struct {
  char name[80];
  int is_link, place, counter;
} event;

static event link_event(int link, int counter) {
  event made = {"", 1, link, counter};
  snprintf(made.name, sizeof made.name, "sde:::GEMINI::%s:%s", counter_names[counter],
           link == hosts ? "HH" : castor_interconnect_direction_name(link));
  return made;
}

static event tile_event(int tile, int counter) {
  event made = {"", 0, tile, counter};
  snprintf(made.name, sizeof made.name, "sde:::GEMINI::%s:%d:%d", counter_names[counter],
           tile / columns, tile % columns);
  return made;
}

static long long value_of(const reading* from, const event* of) {
  return of->is_link ? from->link[of->place][of->counter] : from->tile[of->place][of->counter];
}

/* Until what is under way has arrived. */
static void wait_for_network(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(1e6);
}

/* Each rank sends to every other one. */
static void exchange(void) {
  enum { bytes = 100000 };
  static char out[bytes], in[bytes];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int distance = 1; distance < size; ++distance) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + distance) % size, 0, in, bytes, MPI_CHAR,
                 (rank + size - distance) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  wait_for_network();
}

/* How many of the events have counted something; each must have counted what GPCD says. */
static int compare(const event* events, int count, const long long* papi, const reading* before) {
  const reading after = read_gpcd();
  int moved = 0;
  for (int i = 0; i < count; ++i) {
    const long long gpcd = value_of(&after, &events[i]) - value_of(before, &events[i]);
    if (papi[i] != gpcd) printf("%s: PAPI %lld, GPCD %lld\n", events[i].name, papi[i], gpcd);
    moved += papi[i] != 0;
  }
  return moved;
}

static void measure(const char* what, const event* events, int count) {
  long long values[64];
  int set = PAPI_NULL, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(PAPI_create_eventset(&set) == PAPI_OK, "no event set");
  for (int i = 0; i < count; ++i) {
    check(PAPI_add_named_event(set, events[i].name) == PAPI_OK, events[i].name);
  }
  wait_for_network();
  reading before = read_gpcd();
  check(PAPI_start(set) == PAPI_OK, "PAPI_start");
  exchange();
  const double begin = MPI_Wtime();
  check(PAPI_read(set, values) == PAPI_OK, "PAPI_read");
  const double took = MPI_Wtime() - begin;
  const int first = compare(events, count, values, &before);
  exchange();
  check(PAPI_stop(set, values) == PAPI_OK, "PAPI_stop");
  const int both = compare(events, count, values, &before);
  printf("rank %d: %s: %d events, %d then %d have counted, a read takes %.1f us\n", rank, what,
         count, first, both, took * 1e6);
  check(PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK, "set");
}

int main(int argc, char** argv) {
  event events[links * counters > tiles ? links * counters : tiles];
  int count = 0;
  MPI_Init(&argc, &argv);
  check(argc == 2, "usage: papi_job INTERCONNECT_FILE");
  check(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI_library_init");
  find_links(argv[1]);
  make_context();
  for (int link = 0; link < links; ++link) {
    for (int counter = 0; counter < 4; ++counter) events[count++] = link_event(link, counter);
  }
  measure("links", events, count);
  for (int tile = 0; tile < 40; ++tile) events[tile] = tile_event(tile, 0);
  measure("tiles 0 to 39, phits", events, 40);
  for (int tile = 40; tile < tiles; ++tile) {
    for (int counter = 0; counter < 4; ++counter) {
      events[(tile - 40) * 4 + counter] = tile_event(tile, counter);
    }
  }
  measure("tiles 40 to 47", events, 32);
  events[0] = link_event(hosts, 4);
  events[1] = link_event(hosts, 5);
  events[2] = tile_event(0, 4);
  events[3] = tile_event(0, 5);
  measure("stalls", events, 4);
  strcpy(events[0].name, "sde:::GEMINI::NO_SUCH_COUNTER:0:0");
  measure("no such event", events, 1);
  gpcd_remove_context(context);
  MPI_Finalize();
  return 0;
}
