/* Each rank puts a block into its right neighbour's memory, and says what came from the left. */
#include <corespec_work.h>
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

CORESPEC_MODELLED_PROGRAM; /* no computing of its own: the run repeats bit for bit */

enum { bytes = 4096 };
static char out[bytes], in[bytes];

/* What a peer has to know of a rank. */
typedef struct {
  int rank;
  uint32_t nic;
  uint64_t address;
  gni_mem_handle_t memory;
} place;

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  PMI_Abort(1, call);
}

static gni_cq_entry_t wait_for(gni_cq_handle_t queue) {
  gni_cq_entry_t event;
  gni_return_t code;
  while ((code = GNI_CqGetEvent(queue, &event)) == GNI_RC_NOT_DONE) continue;
  check(code, "GNI_CqGetEvent");
  return event;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

int main(void) {
  int spawned, rank, size;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  PMI_Get_size(&size);

  /* The domain: the rank's number in it, and the job's tag and cookie, which the launcher gives. */
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  place self = {.rank = rank, .address = (uintptr_t)in};
  check(GNI_CdmCreate(rank, atoi(getenv("PMI_GNI_PTAG")),
                      strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &self.nic, &nic), "GNI_CdmAttach");

  /* One queue for what this rank has done, one for what comes to its memory. */
  gni_cq_handle_t done, arrived;
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done), "GNI_CqCreate");
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &arrived), "GNI_CqCreate");
  check(GNI_MemRegister(nic, self.address, bytes, arrived, GNI_MEM_READWRITE, -1, &self.memory),
        "GNI_MemRegister");

  /* PMI's allgather keeps no order: look for the neighbour by its number. */
  place* all = malloc(size * sizeof *all);
  PMI_Allgather(&self, all, sizeof self);
  place right = self;
  for (int i = 0; i < size; ++i)
    if (all[i].rank == (rank + 1) % size) right = all[i];

  gni_ep_handle_t endpoint;
  check(GNI_EpCreate(nic, done, &endpoint), "GNI_EpCreate");
  check(GNI_EpBind(endpoint, right.nic, right.rank), "GNI_EpBind");

  snprintf(out, sizeof out, "a block of rank %d's", rank);
  gni_post_descriptor_t put;
  memset(&put, 0, sizeof put);
  put.type = GNI_POST_FMA_PUT;
  put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  put.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
  put.local_addr = (uintptr_t)out;
  put.remote_addr = right.address;
  put.remote_mem_hndl = right.memory;
  put.length = bytes;

  PMI_Barrier();
  const double begin = now();
  check(GNI_PostFma(endpoint, &put), "GNI_PostFma");
  gni_cq_entry_t event = wait_for(arrived); /* the left one's */
  const double came = now();
  gni_post_descriptor_t* posted;
  event = wait_for(done); /* mine is where it belongs */
  check(GNI_GetCompleted(done, event, &posted), "GNI_GetCompleted");
  printf("rank %d: %s, after %.2f us; mine was there after %.2f us\n", rank, in, came - begin,
         now() - begin);

  PMI_Barrier();
  check(GNI_EpDestroy(endpoint), "GNI_EpDestroy");
  check(GNI_MemDeregister(nic, &self.memory), "GNI_MemDeregister");
  check(GNI_CqDestroy(arrived), "GNI_CqDestroy");
  check(GNI_CqDestroy(done), "GNI_CqDestroy");
  check(GNI_CdmDestroy(domain), "GNI_CdmDestroy");
  PMI_Finalize();
  return 0;
}
