/* A program whose first call to a library is the one that its first argument names; and ends of
   programs on PMI alone. */
#include <dmapp.h>
#include <gni_pub.h>
#include <pmi.h>
#include <pmi2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

static int initialized(void) {
  PMI_BOOL there = PMI_FALSE;
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS);
  return there == PMI_TRUE;
}

/* The sum over all ranks of rank + 1, by PMI. */
static int sum_of_ranks(void) {
  int rank = -1, size = 0, sum = 0;
  CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS);
  CHECK(PMI_Get_size(&size) == PMI_SUCCESS);
  int* all = malloc((size_t)size * sizeof *all);
  const int own = rank + 1;
  CHECK(PMI_Allgather((void*)&own, all, sizeof own) == PMI_SUCCESS);
  for (int i = 0; i < size; ++i) sum += all[i];
  free(all);
  return sum == size * (size + 1) / 2 ? sum : -1;
}

static void first_of_pmi(const char* what) {
  int number = -1;
  char text[256];
  CHECK(!initialized());
  CHECK(PMI_Finalize() == PMI_FAIL);
  CHECK(!initialized());
  if (strcmp(what, "rank") == 0) CHECK(PMI_Get_rank(&number) == PMI_SUCCESS && number >= 0);
  if (strcmp(what, "size") == 0) CHECK(PMI_Get_size(&number) == PMI_SUCCESS && number > 0);
  if (strcmp(what, "barrier") == 0) CHECK(PMI_Barrier() == PMI_SUCCESS);
  if (strcmp(what, "name") == 0) CHECK(PMI_KVS_Get_my_name(text, sizeof text) == PMI_SUCCESS);
  if (strcmp(what, "wrong") == 0) CHECK(PMI_Get_rank(NULL) == PMI_ERR_INVALID_ARG);
  CHECK(initialized());
  CHECK(sum_of_ranks() > 0);
}

static void first_of_dmapp(void) {
  dmapp_jobinfo_t job;
  CHECK(dmapp_init(NULL, NULL) == DMAPP_RC_SUCCESS);
  CHECK(dmapp_get_jobinfo(&job) == DMAPP_RC_SUCCESS);
  CHECK(!initialized());
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  CHECK(initialized());
  CHECK(sum_of_ranks() == job.npes * (job.npes + 1) / 2);
  CHECK(dmapp_finalize() == DMAPP_RC_SUCCESS);
  CHECK(PMI_Barrier() == PMI_SUCCESS);
}

/* Opens a domain before anything else has started, and sends to itself through it. */
static void first_of_gni(void) {
  int devices = 0;
  uint32_t address = 99, cpu = 0, attached = 98;
  CHECK(GNI_GetNumLocalDevices(&devices) == GNI_RC_SUCCESS && devices == 1);
  CHECK(GNI_CdmGetNicAddress(0, &address, &cpu) == GNI_RC_SUCCESS);
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  const int tag = atoi(getenv("PMI_GNI_PTAG")), cookie = atoi(getenv("PMI_GNI_COOKIE"));
  const uint32_t instance = (uint32_t)atoi(getenv("ALPS_APP_PE"));
  CHECK(GNI_CdmCreate(instance, (uint8_t)tag, (uint32_t)cookie, 0, &domain) == GNI_RC_SUCCESS);
  CHECK(GNI_CdmAttach(domain, 0, &attached, &nic) == GNI_RC_SUCCESS);
  CHECK(attached == address && (int)address == atoi(getenv("PMI_GNI_LOC_ADDR")));
  gni_cq_handle_t queue;
  gni_mem_handle_t memory;
  static uint64_t source[8], target[8];
  for (int i = 0; i < 8; ++i) source[i] = 1000 + (uint64_t)i;
  CHECK(GNI_CqCreate(nic, 8, 0, GNI_CQ_NOBLOCK, NULL, NULL, &queue) == GNI_RC_SUCCESS);
  CHECK(GNI_MemRegister(nic, (uint64_t)target, sizeof target, NULL, GNI_MEM_READWRITE, -1,
                        &memory) == GNI_RC_SUCCESS);
  gni_ep_handle_t end;
  CHECK(GNI_EpCreate(nic, queue, &end) == GNI_RC_SUCCESS);
  CHECK(GNI_EpBind(end, address, instance) == GNI_RC_SUCCESS);
  gni_post_descriptor_t put;
  memset(&put, 0, sizeof put);
  put.type = GNI_POST_FMA_PUT;
  put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  put.local_addr = (uint64_t)source;
  put.remote_addr = (uint64_t)target;
  put.remote_mem_hndl = memory;
  put.length = sizeof source;
  CHECK(GNI_PostFma(end, &put) == GNI_RC_SUCCESS);
  gni_cq_entry_t event;
  while (GNI_CqGetEvent(queue, &event) == GNI_RC_NOT_DONE) continue;
  gni_post_descriptor_t* done = NULL;
  CHECK(GNI_GetCompleted(queue, event, &done) == GNI_RC_SUCCESS && done == &put);
  CHECK(memcmp(source, target, sizeof source) == 0);
  CHECK(GNI_CdmDestroy(domain) == GNI_RC_SUCCESS);
}

/* After the process has left its job: every call says no, and none waits. */
static void last_calls(void) {
  int number = -1;
  if (PMI_Barrier() == PMI_FAIL && GNI_GetNumLocalDevices(&number) != GNI_RC_SUCCESS) return;
  printf("wrong: a call after the end\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? atoi(argv[2]) : 0;
  int rank = -1, size = 0, spawned = 0;
  if (strcmp(what, "dmapp") == 0) {
    first_of_dmapp();
  } else if (strcmp(what, "gni") == 0) {
    first_of_gni();
    CHECK(!initialized());
    CHECK(PMI_Init(&spawned) == PMI_SUCCESS);
    CHECK(sum_of_ranks() > 0);
    CHECK(PMI_Finalize() == PMI_SUCCESS);
  } else if (strcmp(what, "gni_alone") == 0) {
    first_of_gni();
  } else if (strcmp(what, "late") == 0) {
    atexit(last_calls); /* before the library's own: called behind it */
    CHECK(PMI_Barrier() == PMI_SUCCESS);
  } else if (strcmp(what, "unended") == 0 || strcmp(what, "one_unended") == 0 ||
             strcmp(what, "one_gone") == 0 || strcmp(what, "one_killed") == 0) {
    CHECK(PMI_Init(&spawned) == PMI_SUCCESS);
    CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS && PMI_Get_size(&size) == PMI_SUCCESS);
    CHECK(PMI_Barrier() == PMI_SUCCESS);
    const int last = rank == size - 1;
    if (strcmp(what, "unended") == 0 || (last && strcmp(what, "one_unended") == 0)) return status;
    if (last && strcmp(what, "one_killed") == 0) raise(SIGKILL);
    if (last) {
      PMI_Finalize();
      return status;
    }
    if (strcmp(what, "one_unended") != 0) PMI_Barrier();
    PMI_Finalize();
    return status;
  } else {
    first_of_pmi(what);
  }
  printf("%d wrong\n", wrong);
  return wrong;
}
