// A client of uGNI that does what the interface says of errors: posts again what is recoverable,
// tries again where there is no room, and looks at memory where events were lost.
#include <gni_pub.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/faults/workload.h"
#include "corespec_work.h"

enum { area_bytes = 70000, no_index = -1 };

// What a rank's left neighbour writes, a word that it sets last, and a counter of all ranks.
typedef struct {
  unsigned char area[area_bytes];
  uint64_t stamp;
  uint64_t counter;
  uint64_t old;  // what a fetched number goes to
} memory;

typedef struct {
  uint64_t address;
  gni_mem_handle_t handle;
  uint32_t nic;
} peer;

static gni_cdm_handle_t domain;
static gni_nic_handle_t nic;
static gni_cq_handle_t done, arrived;
static gni_ep_handle_t* endpoints;
static peer* peers;
static memory* own;
static gni_mem_handle_t handle;
static uint64_t rounds, counted;

static void check(const workload* all, const char* call, gni_return_t code) {
  char line[100];
  if (code == GNI_RC_SUCCESS) return;
  snprintf(line, sizeof line, "ugni: %s: %s", call, gni_err_str[code]);
  fail(all, line);
}

static void pause_a_little(void) { corespec_work_ns(500); }

void ugni_start(const workload* all) {
  const char* const tag = getenv("PMI_GNI_PTAG");
  const char* const cookie = getenv("PMI_GNI_COOKIE");
  const uint32_t instance = 0x300000u;
  peer mine;
  memset(&mine, 0, sizeof mine);
  if (tag == NULL || cookie == NULL) fail(all, "ugni: PMI_GNI_PTAG, PMI_GNI_COOKIE are not set");
  check(all, "GNI_CdmCreate",
        GNI_CdmCreate(instance + (uint32_t)all->rank, (uint8_t)atoi(tag),
                      (uint32_t)strtoul(cookie, NULL, 10), GNI_CDM_MODE_ERR_NO_KILL, &domain));
  check(all, "GNI_CdmAttach", GNI_CdmAttach(domain, 0, &mine.nic, &nic));
  check(all, "GNI_CqCreate", GNI_CqCreate(nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done));
  check(all, "GNI_CqCreate", GNI_CqCreate(nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &arrived));
  own = calloc(1, sizeof *own);
  gni_return_t code;
  while ((code = GNI_MemRegister(nic, (uint64_t)(uintptr_t)own, sizeof *own, arrived,
                                 GNI_MEM_READWRITE, (uint32_t)no_index, &handle)) ==
         GNI_RC_ERROR_RESOURCE) {
    pause_a_little();
  }
  check(all, "GNI_MemRegister", code);
  mine.address = (uint64_t)(uintptr_t)own;
  mine.handle = handle;
  peers = calloc((size_t)all->ranks, sizeof *peers);
  endpoints = calloc((size_t)all->ranks, sizeof *endpoints);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, peers, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int rank = 0; rank < all->ranks; ++rank) {
    check(all, "GNI_EpCreate", GNI_EpCreate(nic, done, &endpoints[rank]));
    check(all, "GNI_EpBind",
          GNI_EpBind(endpoints[rank], peers[rank].nic, instance + (uint32_t)rank));
  }
  rounds = counted = 0;
  MPI_Barrier(MPI_COMM_WORLD);
}

void ugni_end(const workload* all) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int rank = 0; rank < all->ranks; ++rank) GNI_EpDestroy(endpoints[rank]);
  check(all, "GNI_MemDeregister", GNI_MemDeregister(nic, &handle));
  check(all, "GNI_CqDestroy", GNI_CqDestroy(done));
  check(all, "GNI_CqDestroy", GNI_CqDestroy(arrived));
  check(all, "GNI_CdmDestroy", GNI_CdmDestroy(domain));
  free(peers);
  free(endpoints);
  free(own);
}

static gni_return_t post_once(int to, gni_post_descriptor_t* post) {
  const int is_rdma = post->type == GNI_POST_RDMA_PUT || post->type == GNI_POST_RDMA_GET;
  return is_rdma ? GNI_PostRdma(endpoints[to], post) : GNI_PostFma(endpoints[to], post);
}

// Until it has been done.
static void post_surely(const workload* all, int to, gni_post_descriptor_t* post) {
  enum { most_tries = 1000 };
  for (int tries = 0; tries < most_tries; ++tries) {
    const gni_return_t posted = post_once(to, post);
    if (posted == GNI_RC_ERROR_RESOURCE) {
      pause_a_little();
      continue;
    }
    check(all, "a post", posted);
    gni_cq_entry_t entry = 0;
    gni_return_t code;
    while ((code = GNI_CqGetEvent(done, &entry)) == GNI_RC_NOT_DONE) pause_a_little();
    gni_post_descriptor_t* ended = NULL;
    const gni_return_t result = GNI_GetCompleted(done, entry, &ended);
    if (ended != post) fail(all, "ugni: another post has ended than the one that was made");
    if (result == GNI_RC_SUCCESS) return;
    uint32_t recoverable = 0;
    char text[256] = "";
    GNI_CqErrorStr(entry, text, sizeof text);
    check(all, "GNI_CqErrorRecoverable", GNI_CqErrorRecoverable(entry, &recoverable));
    if (!recoverable) fail(all, text);
  }
  fail(all, "ugni: a post has failed a thousand times");
}

static gni_post_descriptor_t transfer(gni_post_type_t type, int to, void* local, size_t offset,
                                      size_t bytes) {
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  post.type = type;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_addr = (uint64_t)(uintptr_t)local;
  post.local_mem_hndl = handle;
  post.remote_addr = peers[to].address + offset;
  post.remote_mem_hndl = peers[to].handle;
  post.length = bytes;
  return post;
}

// Takes what has come; the data is looked for in memory, as events may be lost.
static void drain(const workload* all) {
  gni_cq_entry_t entry = 0;
  for (;;) {
    const gni_return_t code = GNI_CqGetEvent(arrived, &entry);
    if (code == GNI_RC_NOT_DONE) return;
    if (code != GNI_RC_SUCCESS && code != GNI_RC_ERROR_RESOURCE) check(all, "an arrival", code);
  }
}

void ugni_round(const workload* all, uint64_t* state) {
  const int right = (all->rank + 1) % all->ranks, left = (all->rank + all->ranks - 1) % all->ranks;
  const size_t half = area_bytes / 2 / 8 * 8;
  const size_t bytes = (draw_bytes(state, half) + 7) / 8 * 8;
  const int by_bte = (int)draw_below(state, 2);
  const uint64_t seed = draw(state);
  // From the second half of the own area into the first half of the neighbour's.
  fill(own->area + half, bytes, seed + (uint64_t)all->rank);
  if (bytes > 0) {
    gni_post_descriptor_t put = transfer(by_bte ? GNI_POST_RDMA_PUT : GNI_POST_FMA_PUT, right,
                                         own->area + half, offsetof(memory, area), bytes);
    put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
    post_surely(all, right, &put);
  }
  own->old = ++rounds;
  gni_post_descriptor_t stamp =
      transfer(GNI_POST_FMA_PUT, right, &own->old, offsetof(memory, stamp), sizeof own->old);
  post_surely(all, right, &stamp);
  while (*(volatile uint64_t*)&own->stamp != rounds) {
    drain(all);
    pause_a_little();
  }
  drain(all);
  check_bytes(all, "ugni: a put", own->area, bytes, seed + (uint64_t)left);
  MPI_Barrier(MPI_COMM_WORLD);
  if (bytes > 0) {
    memset(own->area + half, 0, bytes);
    gni_post_descriptor_t get = transfer(by_bte ? GNI_POST_RDMA_GET : GNI_POST_FMA_GET, right,
                                         own->area + half, offsetof(memory, area), bytes);
    post_surely(all, right, &get);
    check_bytes(all, "ugni: a get", own->area + half, bytes, seed + (uint64_t)all->rank);
  }
  gni_post_descriptor_t add = transfer(GNI_POST_AMO, 0, &own->old, offsetof(memory, counter), 8);
  add.amo_cmd = GNI_FMA_ATOMIC_FADD;
  add.first_operand = 1;
  post_surely(all, 0, &add);
  counted += (uint64_t)all->ranks;
  MPI_Barrier(MPI_COMM_WORLD);
  if (all->rank == 0 && own->counter != counted) fail(all, "ugni: a counter is wrong");
  MPI_Barrier(MPI_COMM_WORLD);
}
