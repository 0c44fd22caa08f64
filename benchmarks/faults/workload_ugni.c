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

typedef struct {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t done, arrived;
  gni_ep_handle_t* endpoints;  // of each rank
  peer* peers;
  memory* own;
  gni_mem_handle_t handle;
  uint64_t rounds, counted;
} ugni;

static void check(const workload* all, const char* call, gni_return_t code) {
  char line[100];
  if (code == GNI_RC_SUCCESS) return;
  snprintf(line, sizeof line, "ugni: %s: %s", call, gni_err_str[code]);
  give_up(all, line);
}

// MPI goes on only in its calls: a message of its that has failed is posted again in one.
static void pause_a_little(void) {
  int flag = 0;
  corespec_work_ns(500);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

void* ugni_start(const workload* all) {
  ugni* part = calloc(1, sizeof *part);
  const char* const tag = getenv("PMI_GNI_PTAG");
  const char* const cookie = getenv("PMI_GNI_COOKIE");
  const uint32_t instance = 0x300000u;
  peer mine;
  memset(&mine, 0, sizeof mine);
  if (tag == NULL || cookie == NULL) fail(all, "ugni: PMI_GNI_PTAG, PMI_GNI_COOKIE are not set");
  check(
      all, "GNI_CdmCreate",
      GNI_CdmCreate(instance + (uint32_t)all->rank, (uint8_t)atoi(tag),
                    (uint32_t)strtoul(cookie, NULL, 10), GNI_CDM_MODE_ERR_NO_KILL, &part->domain));
  check(all, "GNI_CdmAttach", GNI_CdmAttach(part->domain, 0, &mine.nic, &part->nic));
  check(all, "GNI_CqCreate",
        GNI_CqCreate(part->nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &part->done));
  check(all, "GNI_CqCreate",
        GNI_CqCreate(part->nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &part->arrived));
  part->own = calloc(1, sizeof *part->own);
  gni_return_t code;
  while ((code = GNI_MemRegister(part->nic, (uint64_t)(uintptr_t)part->own, sizeof *part->own,
                                 part->arrived, GNI_MEM_READWRITE, (uint32_t)no_index,
                                 &part->handle)) == GNI_RC_ERROR_RESOURCE) {
    pause_a_little();
  }
  check(all, "GNI_MemRegister", code);
  mine.address = (uint64_t)(uintptr_t)part->own;
  mine.handle = part->handle;
  part->peers = calloc((size_t)all->ranks, sizeof *part->peers);
  part->endpoints = calloc((size_t)all->ranks, sizeof *part->endpoints);
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, part->peers, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int rank = 0; rank < all->ranks; ++rank) {
    check(all, "GNI_EpCreate", GNI_EpCreate(part->nic, part->done, &part->endpoints[rank]));
    check(all, "GNI_EpBind",
          GNI_EpBind(part->endpoints[rank], part->peers[rank].nic, instance + (uint32_t)rank));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return part;
}

void ugni_end(const workload* all, void* ended) {
  ugni* part = ended;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int rank = 0; rank < all->ranks; ++rank) GNI_EpDestroy(part->endpoints[rank]);
  check(all, "GNI_MemDeregister", GNI_MemDeregister(part->nic, &part->handle));
  check(all, "GNI_CqDestroy", GNI_CqDestroy(part->done));
  check(all, "GNI_CqDestroy", GNI_CqDestroy(part->arrived));
  check(all, "GNI_CdmDestroy", GNI_CdmDestroy(part->domain));
  free(part->peers);
  free(part->endpoints);
  free(part->own);
  free(part);
}

static gni_return_t post_once(const ugni* part, int to, gni_post_descriptor_t* post) {
  const int is_rdma = post->type == GNI_POST_RDMA_PUT || post->type == GNI_POST_RDMA_GET;
  return is_rdma ? GNI_PostRdma(part->endpoints[to], post) : GNI_PostFma(part->endpoints[to], post);
}

// Until it has been part->done.
static void post_surely(const workload* all, const ugni* part, int to,
                        gni_post_descriptor_t* post) {
  enum { most_tries = 1000 };
  for (int tries = 0; tries < most_tries; ++tries) {
    const gni_return_t posted = post_once(part, to, post);
    if (posted == GNI_RC_ERROR_RESOURCE) {
      pause_a_little();
      continue;
    }
    check(all, "a post", posted);
    gni_cq_entry_t entry = 0;
    gni_return_t code;
    while ((code = GNI_CqGetEvent(part->done, &entry)) == GNI_RC_NOT_DONE) pause_a_little();
    gni_post_descriptor_t* ended = NULL;
    const gni_return_t result = GNI_GetCompleted(part->done, entry, &ended);
    if (ended != post) fail(all, "ugni: another post has ended than the one that was made");
    if (result == GNI_RC_SUCCESS) return;
    if (all->fragile) fail(all, "ugni: a post has failed");
    uint32_t recoverable = 0;
    char text[256] = "";
    GNI_CqErrorStr(entry, text, sizeof text);
    check(all, "GNI_CqErrorRecoverable", GNI_CqErrorRecoverable(entry, &recoverable));
    if (!recoverable) give_up(all, text);
  }
  give_up(all, "ugni: a post has failed a thousand times");
}

static gni_post_descriptor_t transfer(const ugni* part, gni_post_type_t type, int to, void* local,
                                      size_t offset, size_t bytes) {
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  post.type = type;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_addr = (uint64_t)(uintptr_t)local;
  post.local_mem_hndl = part->handle;
  post.remote_addr = part->peers[to].address + offset;
  post.remote_mem_hndl = part->peers[to].handle;
  post.length = bytes;
  return post;
}

// Takes what has come; the data is looked for in memory, as events may be lost.
static void drain(const workload* all, const ugni* part) {
  gni_cq_entry_t entry = 0;
  for (;;) {
    const gni_return_t code = GNI_CqGetEvent(part->arrived, &entry);
    if (code == GNI_RC_NOT_DONE) return;
    if (code != GNI_RC_SUCCESS && code != GNI_RC_ERROR_RESOURCE) check(all, "an arrival", code);
  }
}

void ugni_round(const workload* all, void* given, uint64_t* state) {
  ugni* part = given;
  const int right = (all->rank + 1) % all->ranks, left = (all->rank + all->ranks - 1) % all->ranks;
  const size_t half = area_bytes / 2 / 8 * 8;
  const size_t bytes = (draw_bytes(state, half) + 7) / 8 * 8;
  const int by_bte = (int)draw_below(state, 2);
  const uint64_t seed = draw(state);
  // From the second half of the part->own area into the first half of the neighbour's.
  fill(part->own->area + half, bytes, seed + (uint64_t)all->rank);
  if (bytes > 0) {
    gni_post_descriptor_t put = transfer(part, by_bte ? GNI_POST_RDMA_PUT : GNI_POST_FMA_PUT, right,
                                         part->own->area + half, offsetof(memory, area), bytes);
    put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
    post_surely(all, part, right, &put);
  }
  part->own->old = ++part->rounds;
  gni_post_descriptor_t stamp = transfer(part, GNI_POST_FMA_PUT, right, &part->own->old,
                                         offsetof(memory, stamp), sizeof part->own->old);
  post_surely(all, part, right, &stamp);
  while (*(volatile uint64_t*)&part->own->stamp != part->rounds) {
    drain(all, part);
    pause_a_little();
  }
  drain(all, part);
  check_bytes(all, "ugni: a put", part->own->area, bytes, seed + (uint64_t)left);
  MPI_Barrier(MPI_COMM_WORLD);
  if (bytes > 0) {
    memset(part->own->area + half, 0, bytes);
    gni_post_descriptor_t get = transfer(part, by_bte ? GNI_POST_RDMA_GET : GNI_POST_FMA_GET, right,
                                         part->own->area + half, offsetof(memory, area), bytes);
    post_surely(all, part, right, &get);
    check_bytes(all, "ugni: a get", part->own->area + half, bytes, seed + (uint64_t)all->rank);
  }
  gni_post_descriptor_t add =
      transfer(part, GNI_POST_AMO, 0, &part->own->old, offsetof(memory, counter), 8);
  add.amo_cmd = GNI_FMA_ATOMIC_FADD;
  add.first_operand = 1;
  post_surely(all, part, 0, &add);
  part->counted += (uint64_t)all->ranks;
  MPI_Barrier(MPI_COMM_WORLD);
  if (all->rank == 0 && part->own->counter != part->counted) fail(all, "ugni: a counter is wrong");
  MPI_Barrier(MPI_COMM_WORLD);
}
