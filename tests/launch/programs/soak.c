// Random traffic for as long as asked: sizes, peers, tags and wildcards, every byte checked.
//   soak [SECONDS [SEED]]     any number of ranks; rank 0 prints rounds, messages, bytes and memory
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { messages_per_round = 64, largest_messages = 64 };

typedef struct {
  int source, target, tag, any_source, any_tag, mode;
  size_t bytes;
  uint64_t seed;
} message;

static uint64_t next(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

static void fill(unsigned char* data, size_t bytes, uint64_t seed) {
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t word = next(&seed);
    memcpy(data + at, &word, bytes - at < 8 ? bytes - at : 8);
  }
}

static size_t first_wrong(const unsigned char* data, size_t bytes, uint64_t seed) {
  for (size_t at = 0; at < bytes; at += 8) {
    const uint64_t word = next(&seed);
    if (memcmp(data + at, &word, bytes - at < 8 ? bytes - at : 8) != 0) return at;
  }
  return bytes;
}

static void fail(int rank, const char* what, const message* m, size_t where) {
  fprintf(stderr, "soak: rank %d: %s: message of %zu bytes from %d to %d, tag %d, at %zu\n", rank,
          what, m->bytes, m->source, m->target, m->tag, where);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// Small ones mostly, and every protocol's limits.
static size_t draw_bytes(uint64_t* random) {
  static const size_t limits[] = {1,      8,      256,    512,    1023,   1024,    1025,
                                  4096,   8191,   8192,   8193,   16384,  32768,   65536,
                                  131072, 262144, 524287, 524288, 524289, 1048576, 2097153};
  const size_t count = sizeof limits / sizeof limits[0];
  const uint64_t pick = next(random) % (2 * count);
  const size_t limit = pick < count ? limits[pick] : 2048;
  return next(random) % 3 == 0 ? limit : next(random) % (limit + 1);
}

static void draw(message* m, int number, int ranks, uint64_t* random) {
  m->source = (int)(next(random) % (uint64_t)ranks);
  m->target = (int)(next(random) % (uint64_t)ranks);
  m->tag = number;  // its own, so that a wildcard source still means this message
  m->any_source = next(random) % 3 == 0;
  m->any_tag = 0;
  m->mode = (int)(next(random) % 8);
  m->bytes = draw_bytes(random);
  m->seed = next(random);
}

static void* allocate(size_t bytes) {
  void* data = malloc(bytes == 0 ? 1 : bytes);
  if (data == NULL) {
    fprintf(stderr, "soak: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return data;
}

// Everybody's messages of a round, posted in an order of one's own.
static uint64_t round_of_traffic(int rank, int ranks, uint64_t seed) {
  message all[messages_per_round];
  MPI_Request requests[2 * messages_per_round];
  unsigned char* buffers[2 * messages_per_round];
  const message* meant[2 * messages_per_round];
  int sends[2 * messages_per_round];
  int order[2 * messages_per_round];
  uint64_t shared = seed;
  uint64_t own = seed * 31 + (uint64_t)rank;
  uint64_t bytes = 0;
  int count = 0;
  for (int i = 0; i < messages_per_round; ++i) draw(&all[i], i, ranks, &shared);
  for (int i = 0; i < messages_per_round; ++i) {
    if (all[i].source == rank) {
      meant[count] = &all[i];
      sends[count++] = 1;
    }
    if (all[i].target == rank) {
      meant[count] = &all[i];
      sends[count++] = 0;
    }
  }
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = count - 1; i > 0; --i) {
    const int other = (int)(next(&own) % (uint64_t)(i + 1));
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (int i = 0; i < count; ++i) {
    const int at = order[i];
    const message* m = meant[at];
    buffers[at] = allocate(m->bytes);
    if (sends[at]) {
      fill(buffers[at], m->bytes, m->seed);
      (m->mode == 0 ? MPI_Issend : MPI_Isend)(buffers[at], (int)m->bytes, MPI_BYTE, m->target,
                                              m->tag, MPI_COMM_WORLD, &requests[at]);
    } else {
      MPI_Irecv(buffers[at], (int)m->bytes, MPI_BYTE, m->any_source ? MPI_ANY_SOURCE : m->source,
                m->tag, MPI_COMM_WORLD, &requests[at]);
    }
    if (next(&own) % 4 == 0) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
  }
  for (int left = count; left > 0; --left) {
    int at = -1;
    MPI_Status status;
    MPI_Waitany(count, requests, &at, &status);
    const message* m = meant[at];
    if (!sends[at]) {
      int got = -1;
      MPI_Get_count(&status, MPI_BYTE, &got);
      if (status.MPI_SOURCE != m->source || status.MPI_TAG != m->tag || got != (int)m->bytes) {
        fail(rank, "status", m, (size_t)got);
      }
      const size_t wrong = first_wrong(buffers[at], m->bytes, m->seed);
      if (wrong != m->bytes) fail(rank, "contents", m, wrong);
      bytes += m->bytes;
    }
    free(buffers[at]);
  }
  return bytes;
}

// Unexpected messages, found by wildcards on both source and tag, in a communicator of their own:
// others may be in the next round already.
static uint64_t round_of_wildcards(MPI_Comm comm, int rank, int ranks, uint64_t seed) {
  uint64_t bytes = 0;
  uint64_t shared = seed;
  const int target = (int)(next(&shared) % (uint64_t)ranks);
  message all[largest_messages];
  for (int i = 0; i < ranks && i < largest_messages; ++i) {
    draw(&all[i], i, ranks, &shared);
    all[i].source = i;
    all[i].target = target;
  }
  MPI_Barrier(comm);
  if (rank != target && rank < largest_messages) {
    unsigned char* data = allocate(all[rank].bytes);
    fill(data, all[rank].bytes, all[rank].seed);
    MPI_Send(data, (int)all[rank].bytes, MPI_BYTE, target, all[rank].tag, comm);
    free(data);
  }
  for (int left = rank == target ? (ranks < largest_messages ? ranks : largest_messages) - 1 : 0;
       left > 0; --left) {
    MPI_Status status;
    int count = 0;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    const message* m = &all[status.MPI_SOURCE];
    if (status.MPI_TAG != m->tag || count != (int)m->bytes) fail(rank, "probe", m, (size_t)count);
    unsigned char* data = allocate(m->bytes);
    MPI_Recv(data, count, MPI_BYTE, status.MPI_SOURCE, MPI_ANY_TAG, comm, &status);
    const size_t wrong = first_wrong(data, m->bytes, m->seed);
    if (wrong != m->bytes) fail(rank, "contents", m, wrong);
    bytes += m->bytes;
    free(data);
  }
  return bytes;
}

static long resident_kilobytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 10;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int rank = 0;
  int ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm wildcards;
  MPI_Comm_dup(MPI_COMM_WORLD, &wildcards);
  const double start = MPI_Wtime();
  long rounds = 0;
  long early_memory = 0;
  uint64_t bytes = 0;
  for (int more = 1; more;) {
    bytes += round_of_traffic(rank, ranks, next(&seed));
    bytes += round_of_wildcards(wildcards, rank, ranks, next(&seed));
    if (++rounds == 100) early_memory = resident_kilobytes();
    more = MPI_Wtime() - start < seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  uint64_t all_bytes = 0;
  long growth = rounds > 100 ? resident_kilobytes() - early_memory : 0;
  long most_growth = 0;
  MPI_Reduce(&bytes, &all_bytes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&growth, &most_growth, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(
        "soak: %d ranks, %ld rounds, %ld messages, %.1f MB, resident memory grew by %ld KB since "
        "round 100\n",
        ranks, rounds, rounds * (messages_per_round + ranks - 1), (double)all_bytes * 1e-6,
        most_growth);
  }
  MPI_Comm_free(&wildcards);
  MPI_Finalize();
  return 0;
}
