/* Rank 1 sleeps in poll(), outside of every library, until rank 0 writes into its queue. The first
   argument "never": nothing writes. */
#include <gni_pub.h>
#include <pmi.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int rank;
  uint32_t address;
  gni_mem_handle_t memory;
} place;

static char memory[64];

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  PMI_Abort(1, call);
}

static void wait_for_writes(gni_nic_handle_t nic, gni_cq_handle_t queue, int count) {
  gni_comp_chan_handle_t channel;
  int file = -1;
  check(GNI_CompChanCreate(nic, &channel), "GNI_CompChanCreate");
  check(GNI_CompChanFd(channel, &file), "GNI_CompChanFd");
  check(GNI_CqAttachCompChan(queue, channel), "GNI_CqAttachCompChan");
  for (int i = 0; i < count; ++i) {
    struct pollfd polled = {file, POLLIN, 0};
    gni_cq_handle_t from = NULL;
    gni_cq_entry_t event = 0;
    check(GNI_CqArmCompChan(&queue, 1), "GNI_CqArmCompChan");
    if (i == 0) printf("at once %d, in 5 ms %d\n", poll(&polled, 1, 0), poll(&polled, 1, 5));
    if (i == 0) PMI_Barrier();
    const int ready = poll(&polled, 1, -1);
    check(GNI_CompChanGetEvent(channel, &from), "GNI_CompChanGetEvent");
    check(GNI_CqGetEvent(from, &event), "GNI_CqGetEvent");
    printf("poll %d, got %d\n", ready, (int)GNI_CQ_GET_DATA(event));
  }
}

int main(int argc, char** argv) {
  const int count = 3;
  const int never = argc > 1 && strcmp(argv[1], "never") == 0;
  int spawned = 0;
  place self = {0, 0, {0, 0}};
  place all[2];
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t done, arrived;
  gni_ep_handle_t endpoint;
  PMI_Init(&spawned);
  PMI_Get_rank(&self.rank);
  check(GNI_CdmCreate((uint32_t)self.rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)atoi(getenv("PMI_GNI_COOKIE")), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &self.address, &nic), "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done), "GNI_CqCreate");
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_BLOCKING, NULL, NULL, &arrived), "GNI_CqCreate");
  check(GNI_MemRegister(nic, (uintptr_t)memory, sizeof memory, arrived, GNI_MEM_READWRITE,
                        (uint32_t)-1, &self.memory),
        "GNI_MemRegister");
  PMI_Allgather(&self, all, sizeof self);
  if (self.rank == 1) {
    wait_for_writes(nic, arrived, count);
  } else {
    const place* peer = all[0].rank == 1 ? &all[0] : &all[1];
    gni_post_descriptor_t write;
    check(GNI_EpCreate(nic, done, &endpoint), "GNI_EpCreate");
    check(GNI_EpBind(endpoint, peer->address, 1), "GNI_EpBind");
    PMI_Barrier();
    for (int i = 0; i < count && !never; ++i) {
      gni_cq_entry_t event = 0;
      gni_post_descriptor_t* posted = NULL;
      usleep(20000);
      memset(&write, 0, sizeof write);
      write.type = GNI_POST_CQWRITE;
      write.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
      write.cqwrite_value = (uint64_t)(100 + i);
      write.remote_mem_hndl = peer->memory;
      check(GNI_PostCqWrite(endpoint, &write), "GNI_PostCqWrite");
      while (GNI_CqGetEvent(done, &event) == GNI_RC_NOT_DONE) continue;
      check(GNI_GetCompleted(done, event, &posted), "GNI_GetCompleted");
    }
  }
  PMI_Barrier();
  PMI_Finalize();
  return 0;
}
