/* Threads of a rank are cancelled while they wait in GNI; then the rank uses the same queue. */
#include <gni_pub.h>
#include <pmi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 60 };
static const uint64_t for_ever = (uint64_t)-1;

static int wrong = 0;
static gni_nic_handle_t nic;
static gni_cq_handle_t queue;
static gni_ep_handle_t endpoint;
static gni_mem_handle_t memory;
static int cleaned_up = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

static void clean_up(void* none) {
  (void)none;
  ++cleaned_up;
}

static void* wait_for_ever(void* how) {
  gni_cq_entry_t event;
  uint32_t which = 0;
  uint64_t id = 0;
  pthread_cleanup_push(clean_up, NULL);
  switch (*(int*)how) {
    case 0:
      GNI_CqWaitEvent(queue, for_ever, &event);
      break;
    case 1:
      GNI_CqVectorWaitEvent(&queue, 1, for_ever, &event, &which);
      break;
    default:
      GNI_PostdataProbeWaitById(nic, (uint32_t)-1, &id);
  }
  pthread_cleanup_pop(0);
  return NULL;
}

/* A thread that puts its cancellation off takes an event first. */
static void* wait_uncancelled(void* none) {
  gni_cq_entry_t event;
  (void)none;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  CHECK(GNI_CqWaitEvent(queue, for_ever, &event) == GNI_RC_SUCCESS);
  return NULL;
}

/* An event in the queue. */
static void write_to_self(void) {
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  post.type = GNI_POST_CQWRITE;
  post.cq_mode = GNI_CQMODE_SILENT;
  post.remote_mem_hndl = memory;
  post.cqwrite_value = 7;
  CHECK(GNI_PostCqWrite(endpoint, &post) == GNI_RC_SUCCESS);
}

int main(void) {
  static uint64_t buffer[8];
  int spawned = 0;
  int rank = -1;
  uint32_t address = 0;
  gni_cdm_handle_t domain;
  gni_cq_entry_t event = 0;
  pthread_t thread;
  void* result = NULL;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  CHECK(GNI_CdmCreate((uint32_t)rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0,
                      &domain) == GNI_RC_SUCCESS);
  CHECK(GNI_CdmAttach(domain, 0, &address, &nic) == GNI_RC_SUCCESS);
  CHECK(GNI_CqCreate(nic, 64, 0, GNI_CQ_BLOCKING, NULL, NULL, &queue) == GNI_RC_SUCCESS);
  CHECK(GNI_MemRegister(nic, (uint64_t)(uintptr_t)buffer, sizeof buffer, queue, GNI_MEM_READWRITE,
                        0, &memory) == GNI_RC_SUCCESS);
  CHECK(GNI_EpCreate(nic, NULL, &endpoint) == GNI_RC_SUCCESS);
  CHECK(GNI_EpBind(endpoint, address, (uint32_t)rank) == GNI_RC_SUCCESS);
  PMI_Barrier();
  for (int round = 0; round < rounds; ++round) {
    int how = round % 3;
    pthread_create(&thread, NULL, wait_for_ever, &how);
    if (round % 2 == 0) usleep((useconds_t)(rand() % 2000)); /* asleep, or not yet */
    pthread_cancel(thread);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(cleaned_up == round + 1);
    write_to_self();
    CHECK(GNI_CqWaitEvent(queue, for_ever, &event) == GNI_RC_SUCCESS);
    CHECK(GNI_CqWaitEvent(queue, 0, &event) == GNI_RC_TIMEOUT);
  }
  pthread_create(&thread, NULL, wait_uncancelled, NULL);
  usleep(1000);
  pthread_cancel(thread);
  write_to_self();
  pthread_join(thread, &result);
  CHECK(result == NULL);
  CHECK(GNI_EpDestroy(endpoint) == GNI_RC_SUCCESS);
  CHECK(GNI_MemDeregister(nic, &memory) == GNI_RC_SUCCESS);
  CHECK(GNI_CqDestroy(queue) == GNI_RC_SUCCESS);
  CHECK(GNI_CdmDestroy(domain) == GNI_RC_SUCCESS);
  PMI_Barrier();
  printf("rank %d: %d wrong\n", rank, wrong);
  PMI_Finalize();
  return wrong != 0;
}
