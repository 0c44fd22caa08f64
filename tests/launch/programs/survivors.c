/* Puts go round a ring of ranks for some time, with errors in the completion queue; a rank whose
   right neighbour does not answer says so and leaves it out. Prints what each rank has seen. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

typedef struct {
  int rank;
  uint32_t nic;
  uint64_t address;
  gni_mem_handle_t handle;
} peer;

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  printf("%s: %s\n", call, gni_err_str[code]);
  exit(1);
}

int main(void) {
  enum { rounds = 100, instance = 500 };
  int rank, size, spawned;
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t queue;
  gni_ep_handle_t endpoint;
  uint64_t* words = calloc(2, sizeof *words);
  peer own;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  PMI_Get_size(&size);
  memset(&own, 0, sizeof own);
  own.rank = rank;
  check(GNI_CdmCreate(instance + (uint32_t)rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10),
                      GNI_CDM_MODE_ERR_NO_KILL, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &own.nic, &nic), "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &queue), "GNI_CqCreate");
  own.address = (uint64_t)(uintptr_t)words;
  check(GNI_MemRegister(nic, own.address, 2 * sizeof *words, NULL, GNI_MEM_READWRITE, (uint32_t)-1,
                        &own.handle),
        "GNI_MemRegister");
  peer* all = calloc((size_t)size, sizeof *all);
  PMI_Allgather(&own, all, sizeof own);
  peer right = own;
  for (int i = 0; i < size; ++i) {
    if (all[i].rank == (rank + 1) % size) right = all[i];
  }
  check(GNI_EpCreate(nic, queue, &endpoint), "GNI_EpCreate");
  check(GNI_EpBind(endpoint, right.nic, instance + (uint32_t)right.rank), "GNI_EpBind");
  PMI_Barrier();
  int done = 0, failed = 0;
  for (int round = 0; round < rounds && !failed; ++round) {
    gni_post_descriptor_t put;
    gni_post_descriptor_t* ended = NULL;
    gni_cq_entry_t event = 0;
    gni_return_t code;
    memset(&put, 0, sizeof put);
    put.type = GNI_POST_FMA_PUT;
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    put.local_addr = own.address;
    put.local_mem_hndl = own.handle;
    put.remote_addr = right.address + sizeof *words;
    put.remote_mem_hndl = right.handle;
    put.length = sizeof *words;
    check(GNI_PostFma(endpoint, &put), "GNI_PostFma");
    while ((code = GNI_CqGetEvent(queue, &event)) == GNI_RC_NOT_DONE) corespec_work_ns(200);
    failed = GNI_GetCompleted(queue, event, &ended) != GNI_RC_SUCCESS;
    if (!failed) {
      ++done;
      corespec_work_ns(5000);
      continue;
    }
    uint32_t recoverable = 9;
    char text[200] = "";
    GNI_CqErrorRecoverable(event, &recoverable);
    GNI_CqErrorStr(event, text, sizeof text);
    printf("rank %d: rank %d: %s, code %s, recoverable %u\n", rank, right.rank, text,
           gni_err_str[code], recoverable);
  }
  printf("rank %d: %s\n", rank, done == rounds ? "all puts" : failed ? "a failure" : "fewer puts");
  return 0;
}
