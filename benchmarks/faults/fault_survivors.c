// A program that goes on without the nodes that fail (aprun -C): PUTs and GETs between all pairs of
// ranks, whose data is checked. A rank that does not answer any more is left out.
//   aprun -C -n RANKS fault_survivors [--seed N] [--rounds N]
// Each rank prints one line, "right" and who has not answered. Exit code 3: data is wrong.
#include <gni_pub.h>
#include <pmi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/common/options.h"
#include "benchmarks/faults/workload.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char* const name = "fault_survivors";

enum { most_ranks = 64, slot_bytes = 8192, work_ns = 20000, linger_ns = 5000000, pause_ns = 500 };

// Of each rank: what every other one writes there, and a word that says that it will write no more.
typedef struct {
  unsigned char slots[most_ranks][slot_bytes];
  uint64_t ended[most_ranks];
  unsigned char own[slot_bytes];
  uint64_t one;
} memory;

typedef struct {
  int rank;
  uint32_t nic;
  uint64_t address;
  gni_mem_handle_t handle;
} peer;

typedef struct {
  int rank, size;
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t queue;
  gni_ep_handle_t endpoints[most_ranks];
  peer peers[most_ranks];
  int gone[most_ranks];
  memory* own;
} survivor;

static void end(const survivor* self, const char* what, int code) {
  fprintf(stderr, "%s: rank %d: %s\n", name, self->rank, what);
  fflush(stderr);
  exit(code);
}

static void check(const survivor* self, const char* call, gni_return_t code) {
  char line[100];
  if (code == GNI_RC_SUCCESS) return;
  snprintf(line, sizeof line, "%s: %s", call, gni_err_str[code]);
  end(self, line, 4);
}

// Once more as long as that does no harm. False: the rank does not answer.
static int transfer(survivor* self, gni_post_type_t type, int to, void* local, size_t offset,
                    size_t bytes) {
  const int is_rdma = type == GNI_POST_RDMA_PUT || type == GNI_POST_RDMA_GET;
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  post.type = type;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_addr = (uint64_t)(uintptr_t)local;
  post.local_mem_hndl = self->peers[self->rank].handle;
  post.remote_addr = self->peers[to].address + offset;
  post.remote_mem_hndl = self->peers[to].handle;
  post.length = bytes;
  while (!self->gone[to]) {
    const gni_ep_handle_t endpoint = self->endpoints[to];
    const gni_return_t posted =
        is_rdma ? GNI_PostRdma(endpoint, &post) : GNI_PostFma(endpoint, &post);
    if (posted == GNI_RC_ERROR_RESOURCE) {
      corespec_work_ns(pause_ns);
      continue;
    }
    check(self, "a post", posted);
    gni_cq_entry_t entry = 0;
    gni_post_descriptor_t* ended = NULL;
    uint32_t recoverable = 0;
    while (GNI_CqGetEvent(self->queue, &entry) == GNI_RC_NOT_DONE) corespec_work_ns(pause_ns);
    const gni_return_t result = GNI_GetCompleted(self->queue, entry, &ended);
    if (ended != &post) end(self, "another post has ended than the one that was made", 3);
    if (result == GNI_RC_SUCCESS) return 1;
    check(self, "GNI_CqErrorRecoverable", GNI_CqErrorRecoverable(entry, &recoverable));
    if (!recoverable) self->gone[to] = 1;
  }
  return 0;
}

static void start(survivor* self) {
  const uint32_t instance = 0x400000u;
  const char* const tag = getenv("PMI_GNI_PTAG");
  const char* const cookie = getenv("PMI_GNI_COOKIE");
  int spawned;
  peer mine;
  peer all[most_ranks];
  PMI_Init(&spawned);
  PMI_Get_rank(&self->rank);
  PMI_Get_size(&self->size);
  if (self->size > most_ranks) end(self, "more than 64 ranks", 2);
  if (tag == NULL || cookie == NULL) end(self, "PMI_GNI_PTAG, PMI_GNI_COOKIE are not set", 2);
  memset(&mine, 0, sizeof mine);
  mine.rank = self->rank;
  self->own = calloc(1, sizeof *self->own);
  check(
      self, "GNI_CdmCreate",
      GNI_CdmCreate(instance + (uint32_t)self->rank, (uint8_t)atoi(tag),
                    (uint32_t)strtoul(cookie, NULL, 10), GNI_CDM_MODE_ERR_NO_KILL, &self->domain));
  check(self, "GNI_CdmAttach", GNI_CdmAttach(self->domain, 0, &mine.nic, &self->nic));
  check(self, "GNI_CqCreate",
        GNI_CqCreate(self->nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &self->queue));
  mine.address = (uint64_t)(uintptr_t)self->own;
  gni_return_t code;
  while ((code = GNI_MemRegister(self->nic, mine.address, sizeof *self->own, NULL,
                                 GNI_MEM_READWRITE, (uint32_t)-1, &mine.handle)) ==
         GNI_RC_ERROR_RESOURCE) {
    corespec_work_ns(pause_ns);
  }
  check(self, "GNI_MemRegister", code);
  PMI_Allgather(&mine, all, sizeof mine);
  for (int i = 0; i < self->size; ++i) self->peers[all[i].rank] = all[i];
  for (int to = 0; to < self->size; ++to) {
    check(self, "GNI_EpCreate", GNI_EpCreate(self->nic, self->queue, &self->endpoints[to]));
    check(self, "GNI_EpBind",
          GNI_EpBind(self->endpoints[to], self->peers[to].nic, instance + (uint32_t)to));
  }
  PMI_Barrier();
}

// Data to a peer's memory, and back.
static void there_and_back(survivor* self, int to, uint64_t* state) {
  const size_t bytes = 4 * (1 + draw_below(state, slot_bytes / 4));
  const int by_bte = (int)draw_below(state, 2);
  const uint64_t first = draw(state);
  const size_t slot = offsetof(memory, slots) + (size_t)self->rank * slot_bytes;
  unsigned char* const own = self->own->own;
  for (size_t i = 0; i < bytes; ++i) own[i] = (unsigned char)(first + i * 7);
  if (!transfer(self, by_bte ? GNI_POST_RDMA_PUT : GNI_POST_FMA_PUT, to, own, slot, bytes)) return;
  memset(own, 0, bytes);
  if (!transfer(self, by_bte ? GNI_POST_RDMA_GET : GNI_POST_FMA_GET, to, own, slot, bytes)) return;
  for (size_t i = 0; i < bytes; ++i) {
    if (own[i] != (unsigned char)(first + i * 7)) end(self, "what came back is not what went", 3);
  }
}

// A barrier of those that answer: each writes to each, and asks those of which it has not heard.
static void meet(survivor* self) {
  self->own->one = 1;
  for (int to = 0; to < self->size; ++to) {
    const size_t place = offsetof(memory, ended) + (size_t)self->rank * sizeof(uint64_t);
    transfer(self, GNI_POST_FMA_PUT, to, &self->own->one, place, sizeof(uint64_t));
  }
  for (int from = 0; from < self->size; ++from) {
    while (!self->gone[from] && *(volatile uint64_t*)&self->own->ended[from] == 0) {
      corespec_work_ns(work_ns);
      transfer(self, GNI_POST_FMA_GET, from, self->own->own, 0, 8);
    }
  }
  corespec_work_ns(linger_ns);  // others may still ask
}

static void finish(survivor* self) {
  for (int to = 0; to < self->size; ++to) {
    check(self, "GNI_EpUnbind", GNI_EpUnbind(self->endpoints[to]));
    check(self, "GNI_EpDestroy", GNI_EpDestroy(self->endpoints[to]));
  }
  check(self, "GNI_MemDeregister", GNI_MemDeregister(self->nic, &self->peers[self->rank].handle));
  check(self, "GNI_CqDestroy", GNI_CqDestroy(self->queue));
  check(self, "GNI_CdmDestroy", GNI_CdmDestroy(self->domain));
}

int main(int argc, char** argv) {
  struct {
    int help;
    long seed, rounds;
  } use = {0, 1, 8};
  const option options[] = {
      {'s', "seed", option_count, &use.seed, 0, "N", "what is drawn: sizes, data (1)"},
      {'\0', "rounds", option_count, &use.rounds, 1, "N", "between all pairs (8)"},
      {'h', "help", option_flag, &use.help, 1, NULL, "this"}};
  char error[option_error_size];
  if (!parse_options(options, sizeof options / sizeof options[0], argc, argv, error)) {
    fprintf(stderr, "%s: %s\n", name, error);
    return 2;
  }
  if (use.help) {
    printf("usage: %s [options]\nGoes on without the nodes that fail.\n\n", name);
    print_options(stdout, options, sizeof options / sizeof options[0]);
    return 0;
  }
  survivor* self = calloc(1, sizeof *self);
  start(self);
  uint64_t state = (uint64_t)use.seed * 0x2545f4914f6cdd1dULL + (uint64_t)self->rank;
  for (long round = 0; round < use.rounds; ++round) {
    for (int step = 0; step < self->size; ++step) {
      there_and_back(self, (self->rank + step) % self->size, &state);
      corespec_work_ns(work_ns);
    }
  }
  meet(self);
  finish(self);
  char line[400];
  int length = snprintf(line, sizeof line, "%s: rank %d: right", name, self->rank);
  const char* before = "; no answer from ";
  for (int rank = 0; rank < self->size; ++rank) {
    if (!self->gone[rank]) continue;
    length += snprintf(line + length, sizeof line - (size_t)length, "%s%d", before, rank);
    before = ", ";
  }
  printf("%s\n", line);
  return 0;
}
