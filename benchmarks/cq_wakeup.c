// CQ wake-up: a ping-pong of CQ writes between two ranks that sleep in GNI_CqWaitEvent.
//
// Half the round trip is the time from one CQ write's post to the woken thread at the other end:
// network, interrupt, wake-up. It depends on whether the waiter runs on the CPU that takes the
// node's interrupt or on another, which is a matter of placement (aprun prints it): without core
// specialization the interrupt comes to CPU 0, where aprun puts the first rank; with `aprun -r 1`
// it comes to a service CPU, where the waiter is only if it asks for it (--waiter service).
#include "benchmarks/common/ugni_link.h"
#include "corespec_cpus.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { waiter_placed = 0, waiter_service = 1, warm_up_iterations = 2, queue_entries = 64 };

typedef struct {
  int waiter, csv, json, help;
  long iterations;
} settings;

/// Raises one event in the partner's queue.
static void post_write(ugni_link* link, gni_post_descriptor_t* descriptor, uint64_t value) {
  memset(descriptor, 0, sizeof *descriptor);
  descriptor->type = GNI_POST_CQWRITE;
  descriptor->cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  descriptor->dlvr_mode = GNI_DLVMODE_IN_ORDER;
  descriptor->cqwrite_value = value;
  descriptor->remote_mem_hndl = link->peer.memory;
  ugni_check(link->program, "GNI_PostCqWrite", GNI_PostCqWrite(link->endpoint, descriptor));
}

/// Sleeps until the partner's write is here; it must carry `value`.
static void await_write(ugni_link* link, uint64_t value) {
  gni_cq_entry_t event = 0;
  ugni_check(link->program, "GNI_CqWaitEvent", GNI_CqWaitEvent(link->remote, (uint64_t)-1, &event));
  if (GNI_CQ_GET_DATA(event) == value) return;
  fprintf(stderr, "%s: a CQ write arrived with another value than was sent\n", link->program);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

static void ping_pong(ugni_link* link, int starts, uint64_t first, long iterations) {
  gni_post_descriptor_t descriptor;
  for (long i = 0; i < iterations; ++i) {
    const uint64_t value = first + (uint64_t)i;
    if (!starts) await_write(link, value);
    post_write(link, &descriptor, value);
    if (starts) await_write(link, value);
    while (ugni_completed(link) == NULL) continue;  // the descriptor is used again
  }
}

static void report(const settings* use, double half) {
  const column columns[] = {{"waiter", "waiter", 8, -1},
                            {"iterations", "iterations", 12, 0},
                            {"half_round_trip", "half(us)", 14, 3}};
  row_printer printer = {chosen_format(use->csv, use->json), 1, "cq_wakeup", columns, 3, 0};
  const cell cells[] = {{use->waiter == waiter_service ? "service" : "placed", 0},
                        {NULL, (double)use->iterations},
                        {NULL, half * 1e6}};
  print_rows_begin(&printer);
  print_row(&printer, cells);
  print_rows_end(&printer);
}

static int run(int argc, char** argv) {
  settings use = {.waiter = waiter_placed, .iterations = 100};
  const option options[] = {
      {'\0', "waiter", option_word, &use.waiter, 0, "placed|service",
       "where the ranks wait: where aprun put them, or on the service CPUs (needs aprun -r)"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "round trips (100)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const char* name = "cq_wakeup";
  const int code = read_options(
      name, "Half the round trip of CQ writes between two sleeping ranks; microseconds.", options,
      (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) return refuse(name, "needs two ranks");
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  const int moved =
      use.waiter == waiter_placed || (castor_use_service_cpus != NULL && castor_use_service_cpus());
  int all_moved = 0;
  MPI_Allreduce(&moved, &all_moved, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all_moved) return refuse(name, "--waiter service needs service CPUs: aprun -r 1");

  ugni_link link;
  ugni_open(&link, name, 1 - rank, 4096, queue_entries, GNI_CQ_BLOCKING);
  ping_pong(&link, rank == 0, 1, warm_up_iterations);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  ping_pong(&link, rank == 0, 1 + warm_up_iterations, use.iterations);
  const double half = (MPI_Wtime() - start) / (double)use.iterations / 2.0;
  if (rank == 0) report(&use, half);
  ugni_close(&link);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
