// uGNI transfers: latency and bandwidth of FMA and BTE puts and gets by size.
//
// Ranks i and i + n/2 are partners (two nodes, when the launcher fills nodes in order). Put
// latency is half the round trip of a put ping-pong whose receiver polls; get latency is the time
// from post to completion; bandwidth keeps a window of posts under way and adds up all pairs.
#include "benchmarks/common/pairs.h"
#include "benchmarks/common/ugni_link.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { engine_fma = 0, engine_bte = 1, engine_both = 2 };
enum { operation_put = 0, operation_get = 1, operation_both = 2 };
enum { poll_memory = 0, poll_queue = 1 };
enum { warm_up_iterations = 2, max_window = 256, get_alignment = 4 };

typedef struct {
  int engine, operation, poll, csv, json, help;
  long iterations, window;
  size_list sizes, processes;
} settings;

/// What is being measured: one row.
typedef struct {
  int engine, operation, poll;
  long bytes, iterations, window;
  long half;  ///< where the second half of every rank's buffer begins
} test_case;

/// Memory of a rank: data arrives in the first half of the buffer and is sent from the second.
static unsigned char* arrival(const ugni_link* link) { return link->buffer; }
static unsigned char* source(const ugni_link* link, const test_case* test) {
  return link->buffer + test->half;
}

static gni_post_descriptor_t describe(const ugni_link* link, const test_case* test,
                                      uint16_t events) {
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  const int put = test->operation == operation_put;
  if (test->engine == engine_fma) {
    post.type = put ? GNI_POST_FMA_PUT : GNI_POST_FMA_GET;
  } else {
    post.type = put ? GNI_POST_RDMA_PUT : GNI_POST_RDMA_GET;
  }
  post.cq_mode = events;
  post.dlvr_mode = GNI_DLVMODE_IN_ORDER;
  post.local_addr = (uint64_t)(uintptr_t)(put ? source(link, test) : arrival(link));
  post.local_mem_hndl = link->memory;
  post.remote_addr = link->peer.base + (put ? 0 : (uint64_t)test->half);
  post.remote_mem_hndl = link->peer.memory;
  post.length = (uint64_t)test->bytes;
  return post;
}

/// Posts; false if the NIC has no room for it now.
static int try_post(ugni_link* link, const test_case* test, gni_post_descriptor_t* post) {
  const int fma = test->engine == engine_fma;
  const gni_return_t code =
      fma ? GNI_PostFma(link->endpoint, post) : GNI_PostRdma(link->endpoint, post);
  if (code == GNI_RC_ERROR_RESOURCE) return 0;
  ugni_check(link->program, fma ? "GNI_PostFma" : "GNI_PostRdma", code);
  return 1;
}

/// Polls until the partner's put number `mark` is here.
static void await_put(ugni_link* link, const test_case* test, unsigned char mark,
                      int* outstanding) {
  const volatile unsigned char* last = arrival(link) + test->bytes - 1;
  int arrived = 0;
  while (!arrived) {
    if (ugni_completed(link) != NULL) --*outstanding;
    if (test->poll == poll_memory) {
      arrived = *last == mark;
      continue;
    }
    gni_cq_entry_t event = 0;
    const gni_return_t code = GNI_CqGetEvent(link->remote, &event);
    if (code != GNI_RC_NOT_DONE) ugni_check(link->program, "GNI_CqGetEvent", code);
    arrived = code == GNI_RC_SUCCESS;
  }
}

/// A put whose last byte is `mark`, once the one before has completed.
static void send_put(ugni_link* link, const test_case* test, gni_post_descriptor_t* post,
                     unsigned char mark, int* outstanding) {
  while (*outstanding > 0) {
    if (ugni_completed(link) != NULL) --*outstanding;
  }
  source(link, test)[test->bytes - 1] = mark;
  while (!try_post(link, test, post)) (void)ugni_completed(link);
  ++*outstanding;
}

/// Round trips of puts; returns when this rank's own have completed.
static void put_ping_pong(ugni_link* link, const test_case* test, int starts, long iterations) {
  const uint16_t remote = test->poll == poll_queue ? GNI_CQMODE_REMOTE_EVENT : 0;
  gni_post_descriptor_t post = describe(link, test, (uint16_t)(GNI_CQMODE_GLOBAL_EVENT | remote));
  int outstanding = 0;
  for (long i = 0; i < iterations; ++i) {
    const unsigned char mark = (unsigned char)(i % 255 + 1);
    if (starts) send_put(link, test, &post, mark, &outstanding);
    await_put(link, test, mark, &outstanding);
    if (!starts) send_put(link, test, &post, mark, &outstanding);
  }
  while (outstanding > 0) {
    if (ugni_completed(link) != NULL) --outstanding;
  }
}

/// Keeps up to `window` posts under way until `count` have completed; seconds for all.
static double stream(ugni_link* link, const test_case* test, long window, long count) {
  gni_post_descriptor_t posts[max_window];
  gni_post_descriptor_t* idle[max_window];
  long idle_count = window;
  for (long i = 0; i < window; ++i) {
    posts[i] = describe(link, test, GNI_CQMODE_GLOBAL_EVENT);
    idle[i] = &posts[i];
  }
  const double start = MPI_Wtime();
  long posted = 0;
  for (long completed = 0; completed < count;) {
    while (posted < count && idle_count > 0 && try_post(link, test, idle[idle_count - 1])) {
      --idle_count;
      ++posted;
    }
    gni_post_descriptor_t* done = ugni_completed(link);
    if (done == NULL) continue;
    idle[idle_count++] = done;
    ++completed;
  }
  return MPI_Wtime() - start;
}

/// Half the round trip of puts in seconds, after a warm-up. Collective.
static double put_latency(ugni_link* link, const pairing* self, const test_case* test,
                          uint32_t key) {
  const long rounds[] = {warm_up_iterations, test->iterations};
  double latency = 0.0;
  for (int pass = 0; pass < 2; ++pass) {
    arrival(link)[test->bytes - 1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (self->active) put_ping_pong(link, test, self->lower, rounds[pass]);
    latency = (MPI_Wtime() - start) / (double)rounds[pass] / 2.0;
  }
  if (self->active) check_pattern(link->program, arrival(link), test->bytes - 1, key);
  return latency;
}

/// Time from a get's post to its completion in seconds, after a warm-up.
static double get_latency(ugni_link* link, const test_case* test, uint32_t key) {
  (void)stream(link, test, 1, warm_up_iterations);
  const double elapsed = stream(link, test, 1, test->iterations);
  check_pattern(link->program, arrival(link), test->bytes, key);
  return elapsed / (double)test->iterations;
}

/// Both figures of one row, seconds and bytes per second; meaningful on rank 0. Collective.
static void measure(ugni_link* link, const pairing* self, const test_case* test, double* latency,
                    double* bandwidth) {
  const uint32_t key = (uint32_t)((self->lower ? self->rank : self->partner) % 977);
  const int works = self->active && self->lower;
  double single = 0.0;
  double all = 0.0;
  double mean = 0.0;
  double slowest = 0.0;
  fill_pattern(source(link, test), test->bytes, key);
  MPI_Barrier(MPI_COMM_WORLD);
  if (test->operation == operation_put) {
    single = put_latency(link, self, test, key);
  } else if (works) {
    single = get_latency(link, test, key);
  }
  reduce_over_pairs(self, single, latency, &slowest);
  MPI_Barrier(MPI_COMM_WORLD);
  const long count = test->iterations * 2;
  if (works) all = stream(link, test, test->window, count);
  reduce_over_pairs(self, all, &mean, &slowest);
  *bandwidth = (double)test->bytes * (double)count * self->count / slowest;
}

/// Enough for an exact clock; fewer where each transfer takes long.
static long iterations_for(const settings* use, long bytes) {
  if (use->iterations > 0) return use->iterations;
  return bytes < 64L * 1024 ? 100 : 20;
}

static void measure_row(ugni_link* link, const test_case* test, long processes,
                        row_printer* printer) {
  const char* engines[] = {"fma", "bte"};
  const char* operations[] = {"put", "get"};
  const pairing self = find_pair(processes);
  if (self.rank == 0) show_progress(engines[test->engine], test->bytes);
  double latency = 0.0;
  double bandwidth = 0.0;
  measure(link, &self, test, &latency, &bandwidth);
  if (self.rank != 0) return;
  clear_progress();
  const cell cells[] = {{engines[test->engine], 0},       {operations[test->operation], 0},
                        {NULL, (double)test->bytes},      {NULL, (double)self.count},
                        {NULL, (double)test->iterations}, {NULL, latency * 1e6},
                        {NULL, bandwidth * 1e-9}};
  print_row(printer, cells);
}

static void measure_all(ugni_link* link, const settings* use, long half, row_printer* printer) {
  for (int engine = engine_fma; engine <= engine_bte; ++engine) {
    if (use->engine != engine_both && use->engine != engine) continue;
    for (int operation = operation_put; operation <= operation_get; ++operation) {
      if (use->operation != operation_both && use->operation != operation) continue;
      for (int p = 0; p < use->processes.count; ++p) {
        for (int i = 0; i < use->sizes.count; ++i) {
          const long bytes = use->sizes.bytes[i];
          if (operation == operation_get && bytes % get_alignment != 0) continue;
          const test_case test = {
              engine, operation, use->poll, bytes, iterations_for(use, bytes), use->window, half};
          measure_row(link, &test, use->processes.bytes[p], printer);
        }
      }
    }
  }
}

static const char* find_mistake(const settings* use, int ranks) {
  if (ranks % 2 != 0) return "needs an even number of ranks";
  if (use->csv && use->json) return "--csv or --json, not both";
  if (use->window > max_window) return "--window: at most 256";
  if (largest_size(&use->sizes) > 1L << 28) return "transfers have at most 256M bytes";
  for (int i = 0; i < use->sizes.count; ++i) {
    if (use->sizes.bytes[i] < 1) return "transfers have at least one byte";
    if (use->operation == operation_get && use->sizes.bytes[i] % get_alignment != 0) {
      return "--sizes: gets need multiples of 4";
    }
  }
  for (int i = 0; i < use->processes.count; ++i) {
    const long wanted = use->processes.bytes[i];
    if (wanted < 1 || wanted > ranks / 2) return "--processes: from 1 to half the ranks";
  }
  return NULL;
}

static int run(int argc, char** argv) {
  settings use = {.engine = engine_both, .operation = operation_both, .window = 64};
  const option options[] = {
      {'\0', "engine", option_word, &use.engine, 0, "fma|bte|both", "who moves the data (both)"},
      {'\0', "operation", option_word, &use.operation, 0, "put|get|both", "what is done (both)"},
      {'\0', "poll", option_word, &use.poll, 0, "memory|queue",
       "how a put's receiver notices it: last byte (default), or an event"},
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes (default: 4 to 4M in powers of two; gets need multiples of 4)"},
      {'p', "processes", option_list, &use.processes, 0, "LIST",
       "processes per node at work, as 1,2,4 (default: half the ranks)"},
      {'w', "window", option_count, &use.window, 1, NULL, "posts under way for bandwidth (64)"},
      {'i', "iterations", option_count, &use.iterations, 0, NULL,
       "transfers per size (0: 100 below 64 KiB, else 20)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const char* name = "ugni_perf";
  const int code = read_options(
      name, "FMA and BTE transfers between ranks i and i + n/2; microseconds and GB/s (10^9).",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* mistake = find_mistake(&use, size);
  if (mistake != NULL) return refuse(name, mistake);
  if (use.sizes.count == 0) add_powers(&use.sizes, 4, 4L * 1024 * 1024);
  if (use.processes.count == 0) add_size(&use.processes, size / 2);

  const column columns[] = {{"engine", "engine", 8, -1},         {"operation", "operation", 11, -1},
                            {"msgsize", "msgsize", 10, 0},       {"processes", "processes", 11, 0},
                            {"iterations", "iterations", 12, 0}, {"latency", "latency(us)", 14, 3},
                            {"bandwidth", "GB/s", 12, 4}};
  row_printer printer = {chosen_format(use.csv, use.json), 1, name, columns, 7, 0};
  const long half = (largest_size(&use.sizes) + 4095) / 4096 * 4096;
  ugni_link link;
  ugni_open(&link, name, (rank + size / 2) % size, 2 * half, 2 * max_window, GNI_CQ_NOBLOCK);
  if (rank == 0) print_rows_begin(&printer);
  measure_all(&link, &use, half, &printer);
  if (rank == 0) print_rows_end(&printer);
  ugni_close(&link);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
