// A ping into the network and its echo in the counters: what one transfer is on the wire (S0,
// section V).
//
// Rank --from transfers to rank --to: one uGNI PUT or GET by the BTE, or an MPI message. All ranks
// read their Geminis' tiles before and after; nothing else travels meanwhile, since ranks keep to
// points in time that they have agreed on. Each link that has counted is a row.
#include <time.h>

#include "benchmarks/common/tile_counters.h"
#include "benchmarks/common/ugni_link.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { operation_put, operation_get, operation_message };
enum { content_random, content_zero, content_ones };
static const char* const operation_names[] = {"put", "get", "message"};
static const char* const content_names[] = {"random", "zero", "ones"};

typedef struct {
  int operation, content, csv, json, help;
  long from, to, iterations, pause;
  const char* map;
  size_list sizes;
} settings;

/// What a rank needs for its part.
typedef struct {
  const settings* use;
  int rank, ranks, partner;  ///< partner: -1 of a rank that only reads counters
  ugni_link link;
  unsigned char* buffer;
  gemini_reader reader;
} sonar;

enum { program_name_size = 8 };
static const char program_name[program_name_size] = "sonar";

// Time of the run.

static void sleep_until(double end) {
  const double left = end - MPI_Wtime();
  if (left <= 0) return;
  struct timespec rest = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
  nanosleep(&rest, NULL);
}

/// A point in time some pauses from now, the same on all ranks: what they have sent to agree on it
/// has arrived by then.
static double agree_on_start(double pause) {
  double start = MPI_Wtime() + 2 * pause;
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return start;
}

// The transfers.

static void fill(unsigned char* buffer, long bytes, int content) {
  if (content == content_random) {
    fill_pattern(buffer, bytes, 1);
  } else {
    memset(buffer, content == content_zero ? 0x00 : 0xFF, (size_t)bytes);
  }
}

static void post(sonar* self, long bytes) {
  const int put = self->use->operation == operation_put;
  gni_post_descriptor_t descriptor;
  memset(&descriptor, 0, sizeof descriptor);
  descriptor.type = put ? GNI_POST_RDMA_PUT : GNI_POST_RDMA_GET;
  descriptor.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  descriptor.dlvr_mode = GNI_DLVMODE_IN_ORDER;
  descriptor.local_addr = (uint64_t)(uintptr_t)self->link.buffer;
  descriptor.local_mem_hndl = self->link.memory;
  descriptor.remote_addr = self->link.peer.base;
  descriptor.remote_mem_hndl = self->link.peer.memory;
  descriptor.length = (uint64_t)bytes;
  ugni_check(program_name, "GNI_PostRdma", GNI_PostRdma(self->link.endpoint, &descriptor));
  while (ugni_completed(&self->link) == NULL) {
  }
}

static void transfer(sonar* self, long bytes) {
  const int first = self->rank == self->use->from;
  if (self->use->operation != operation_message) {
    if (first) post(self, bytes);
  } else if (first) {
    MPI_Send(self->buffer, (int)bytes, MPI_BYTE, self->partner, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(self->buffer, (int)bytes, MPI_BYTE, self->partner, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
}

/// One ping of `bytes`: what this rank's Gemini has counted of it.
static gemini_counters ping(sonar* self, long bytes) {
  const double pause = (double)self->use->pause * 1e-6;
  if (self->partner >= 0) transfer(self, bytes);  // connections, registrations
  const double start = agree_on_start(pause);
  gemini_counters before, after;
  sleep_until(start);
  read_gemini(&self->reader, program_name, &before);
  sleep_until(start + pause);
  for (long i = 0; self->partner >= 0 && i < self->use->iterations; ++i) transfer(self, bytes);
  sleep_until(start + (double)(1 + self->use->iterations) * pause);
  read_gemini(&self->reader, program_name, &after);
  sleep_until(start + (double)(2 + self->use->iterations) * pause);
  return counted_between(&before, &after);
}

// Results.

static const column columns[] = {{"operation", "operation", 10, -1},
                                 {"content", "content", 8, -1},
                                 {"msgsize", "msgsize", 10, 0},
                                 {"x", "x", 4, 0},
                                 {"y", "y", 4, 0},
                                 {"z", "z", 4, 0},
                                 {"link", "link", 5, -1},
                                 {"vc0_phits", "vc0_phits", 10, 0},
                                 {"vc1_phits", "vc1_phits", 10, 0},
                                 {"vc0_packets", "vc0_packets", 12, 0},
                                 {"vc1_packets", "vc1_packets", 12, 0},
                                 {"inq_stalls", "inq_stalls", 11, 0},
                                 {"outq_stalls", "outq_stalls", 12, 0}};
enum { column_count = sizeof columns / sizeof *columns, counters_from = 7 };

/// Whether a rank before `rank` sits on the same Gemini: it has been printed.
static int is_repeated(const int (*places)[3], int rank) {
  for (int other = 0; other < rank; ++other) {
    if (memcmp(places[other], places[rank], sizeof *places) == 0) return 1;
  }
  return 0;
}

static void print_gemini(row_printer* rows, const settings* use, long bytes, const int* place,
                         const gemini_counters* counters) {
  for (int link = 0; link < gemini_links; ++link) {
    const unsigned long long* counter = counters->link[link].counter;
    unsigned long long any = 0;
    for (int i = 0; i < tile_counters; ++i) any |= counter[i];
    if (any == 0) continue;
    cell cells[column_count];
    memset(cells, 0, sizeof cells);
    cells[0].text = operation_names[use->operation];
    cells[1].text = content_names[use->content];
    cells[2].number = (double)bytes;
    for (int i = 0; i < 3; ++i) cells[3 + i].number = place[i];
    cells[6].text = link_name(link);
    for (int i = 0; i < tile_counters; ++i) cells[counters_from + i].number = (double)counter[i];
    print_row(rows, cells);
  }
}

/// Rank 0 prints what all Geminis have counted.
static void print_all(const sonar* self, row_printer* rows, long bytes,
                      const gemini_counters* own) {
  const int place[3] = {self->reader.x, self->reader.y, self->reader.z};
  int(*places)[3] = NULL;
  gemini_counters* all = NULL;
  if (self->rank == 0) {
    places = calloc((size_t)self->ranks, sizeof *places);
    all = calloc((size_t)self->ranks, sizeof *all);
    if (places == NULL || all == NULL) counters_fail(program_name, "no memory for the counters");
  }
  MPI_Gather(place, 3, MPI_INT, places, 3, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Gather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int rank = 0; self->rank == 0 && rank < self->ranks; ++rank) {
    if (is_repeated((const int(*)[3])places, rank)) continue;
    print_gemini(rows, self->use, bytes, places[rank], &all[rank]);
  }
  free(places);
  free(all);
}

// The program.

/// The text of a file, ended by 0.
static char* read_file(const char* name, size_t* length) {
  FILE* file = fopen(name, "rb");
  char* text = NULL;
  *length = 0;
  for (size_t room = 1 << 16; file != NULL; room *= 2) {
    text = realloc(text, room);
    if (text == NULL) counters_fail(program_name, "no memory for the map");
    *length += fread(text + *length, 1, room - *length - 1, file);
    if (*length < room - 1) break;
  }
  if (file == NULL || ferror(file)) {
    char error[option_error_size];
    snprintf(error, sizeof error, "%.100s: %s", name, strerror(errno));
    counters_fail(program_name, error);
  }
  fclose(file);
  text[*length] = 0;
  return text;
}

static long largest(const size_list* sizes) {
  long most = 0;
  for (int i = 0; i < sizes->count; ++i) {
    if (sizes->bytes[i] > most) most = sizes->bytes[i];
  }
  return most;
}

/// Both partners open their ends; the other ranks wait as uGNI's set-up is a pair's own.
static void open_partners(sonar* self) {
  const settings* use = self->use;
  self->partner =
      self->rank == use->from ? (int)use->to : (self->rank == use->to ? (int)use->from : -1);
  if (self->partner < 0) return;
  const long bytes = largest(&use->sizes);
  if (use->operation == operation_message) {
    self->buffer = make_buffer(program_name, bytes);
  } else {
    ugni_open(&self->link, program_name, self->partner, bytes, 64, GNI_CQ_NOBLOCK);
    self->buffer = self->link.buffer;
  }
  fill(self->buffer, bytes, use->content);
}

static int run(int argc, char** argv) {
  settings use = {.from = 0, .to = 1, .iterations = 1, .pause = 2000, .map = "interconnect.txt"};
  use.sizes.count = 1;
  use.sizes.bytes[0] = 1 << 20;
  const option options[] = {
      {'o', "operation", option_word, &use.operation, 0, "put|get|message",
       "uGNI PUT or GET by the BTE, or an MPI message"},
      {'c', "content", option_word, &use.content, 0, "random|zero|ones", "bytes of the message"},
      {'s', "sizes", option_list, &use.sizes, 1, NULL, "message sizes"},
      {'\0', "from", option_count, &use.from, 0, NULL, "rank that transfers"},
      {'\0', "to", option_count, &use.to, 0, NULL, "its partner"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "transfers in one measurement"},
      {'\0', "pause", option_count, &use.pause, 1, NULL,
       "microseconds that a transfer is given, and reads are apart"},
      {'m', "map", option_text, &use.map, 0, "FILE", "output of rtr --interconnect"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(program_name, "What one transfer is on the wire", options,
                                sizeof options / sizeof *options, &use.help, argc, argv);
  if (code != exit_done) return code;
  sonar self = {.use = &use};
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
  if (use.from == use.to || use.from >= self.ranks || use.to >= self.ranks) {
    return refuse(program_name, "--from and --to must be two of the job's ranks");
  }
  size_t length = 0;
  char* map = read_file(use.map, &length);
  open_reader(&self.reader, program_name, map, length, use.map);
  free(map);
  open_partners(&self);
  row_printer rows = {chosen_format(use.csv, use.json), 1, program_name, columns, column_count, 0};
  if (self.rank == 0) print_rows_begin(&rows);
  for (int i = 0; i < use.sizes.count; ++i) {
    const gemini_counters counted = ping(&self, use.sizes.bytes[i]);
    print_all(&self, &rows, use.sizes.bytes[i], &counted);
  }
  if (self.rank == 0) print_rows_end(&rows);
  close_reader(&self.reader);
  MPI_Barrier(MPI_COMM_WORLD);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
