/* Two nodes: one rank of each connects their shared message queues, and every rank sends to all of
   the other node through them, more than there are credits. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { messages = 20, most_ranks = 16 };

typedef struct {
  int rank;
  uint32_t address;
  gni_msgq_ep_attr_t queue; /* of a node's first rank */
} place;

static int got, wrong, next_of[most_ranks];

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  PMI_Abort(1, call);
}

static int receive(uint32_t from, uint32_t pe, void* message, uint8_t tag, void* context) {
  const place* all = context;
  const int* words = message;
  ++got;
  if (words[0] != (int)from || words[1] != next_of[from]++ || tag != (uint8_t)words[1] ||
      all[from].address != pe) {
    ++wrong;
  }
  return 1;
}

int main(void) {
  int spawned = 0, size = 0, local = 0, sent = 0;
  static place self, taken[most_ranks], all[most_ranks];
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t done;
  gni_msgq_handle_t queue;
  gni_ep_handle_t endpoints[most_ranks];
  PMI_Init(&spawned);
  PMI_Get_rank(&self.rank);
  PMI_Get_size(&size);
  PMI_Get_clique_size(&local);
  check(GNI_CdmCreate((uint32_t)self.rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)atoi(getenv("PMI_GNI_COOKIE")), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &self.address, &nic), "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 1024, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done), "GNI_CqCreate");
  gni_msgq_attr_t attributes = {0};
  attributes.max_msg_sz = 16;
  attributes.smsg_q_sz = 4;
  attributes.rcv_pool_sz = 4;
  attributes.num_msgq_eps = 1;
  attributes.nloc_insts = (uint32_t)local;
  attributes.modes = GNI_MSGQ_MODE_BLOCKING;
  attributes.rcv_cq_sz = 4;
  check(GNI_MsgqInit(nic, receive, all, done, &attributes, &queue), "GNI_MsgqInit");
  PMI_Barrier();
  const int leads = self.rank % local == 0;
  const uint32_t other = 1 - self.address;
  if (leads) check(GNI_MsgqGetConnAttrs(queue, other, &self.queue, NULL), "GNI_MsgqGetConnAttrs");
  PMI_Allgather(&self, taken, sizeof self);
  for (int i = 0; i < size; ++i) all[taken[i].rank] = taken[i];
  for (int i = 0; i < size; ++i) {
    check(GNI_EpCreate(nic, done, &endpoints[i]), "GNI_EpCreate");
    check(GNI_EpBind(endpoints[i], all[i].address, (uint32_t)i), "GNI_EpBind");
    if (leads && i % local == 0 && all[i].address == other) {
      check(GNI_MsgqConnect(queue, other, &all[i].queue), "GNI_MsgqConnect");
    }
  }
  PMI_Barrier();
  for (int number = 0; number < messages; ++number) {
    for (int i = 0; i < size; ++i) {
      int words[2] = {self.rank, number};
      gni_return_t code = GNI_RC_NOT_DONE;
      if (all[i].address != other) continue;
      while (code == GNI_RC_NOT_DONE) {
        code = GNI_MsgqSend(queue, endpoints[i], words, 4, words + 1, 4, (uint32_t)number,
                            (uint8_t)number);
        if (code == GNI_RC_NOT_DONE) check(GNI_MsgqProgress(queue, 1), "GNI_MsgqProgress");
      }
      check(code, "GNI_MsgqSend");
      ++sent;
    }
  }
  while (got < sent) check(GNI_MsgqProgress(queue, 10), "GNI_MsgqProgress");
  while (GNI_MsgqIdle(queue) == GNI_RC_NOT_DONE) continue;
  PMI_Barrier();
  if (leads) check(GNI_MsgqConnRelease(queue, other), "GNI_MsgqConnRelease");
  check(GNI_MsgqRelease(queue), "GNI_MsgqRelease");
  printf("rank %d: sent %d, got %d, %d wrong\n", self.rank, sent, got, wrong);
  PMI_Finalize();
  return 0;
}
