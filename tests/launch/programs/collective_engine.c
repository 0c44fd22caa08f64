/* An Aries: the last rank of each node has a collective engine, the engines are a binary tree, and
   all ranks reduce. Nodes have equally many ranks, one after the other. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ranks = 16, branches = 2, reductions = 3 };

typedef struct {
  int rank;
  uint32_t address, engine;
} place;

static gni_nic_handle_t nic;
static gni_cq_handle_t done;

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  PMI_Abort(1, call);
}

static gni_ep_handle_t edge(const place* to, uint32_t child, gni_ce_child_t type) {
  gni_ep_handle_t ep;
  check(GNI_EpCreate(nic, done, &ep), "GNI_EpCreate");
  check(GNI_EpBind(ep, to->address, (uint32_t)to->rank), "GNI_EpBind");
  check(GNI_EpSetCeAttr(ep, to->engine, child, type), "GNI_EpSetCeAttr");
  return ep;
}

/* The last rank of each node in `all`. */
static void set_up(gni_ce_handle_t engine, gni_cq_handle_t events, const place* all, int node,
                   int nodes, int local) {
  gni_ep_handle_t children[GNI_CE_MAX_CHILDREN], parent = NULL;
  int count = 0;
  for (int i = 0; i < local; ++i, ++count) {
    children[count] = edge(&all[node * local + i], (uint32_t)count, GNI_CE_CHILD_PE);
  }
  for (int i = 1; i <= branches; ++i) {
    const int child = node * branches + i;
    if (child >= nodes) break;
    children[count] = edge(&all[child * local + local - 1], (uint32_t)count, GNI_CE_CHILD_VCE);
    ++count;
  }
  if (node != 0) {
    const int above = (node - 1) / branches;
    parent = edge(&all[above * local + local - 1], (uint32_t)(local + (node - 1) % branches),
                  GNI_CE_CHILD_VCE);
  }
  check(GNI_CeConfigure(engine, children, (uint32_t)count, parent, events,
                        GNI_CE_MODE_CQE_ONCOMP | GNI_CE_MODE_ROUND_NEAR),
        "GNI_CeConfigure");
}

static gni_ce_result_t* reduce(gni_ep_handle_t ep, gni_post_descriptor_t* post) {
  gni_cq_entry_t entry;
  gni_post_descriptor_t* posted = NULL;
  gni_return_t code = GNI_RC_NOT_DONE;
  check(GNI_PostFma(ep, post), "GNI_PostFma");
  while ((code = GNI_CqGetEvent(done, &entry)) == GNI_RC_NOT_DONE) continue;
  check(code, "GNI_CqGetEvent");
  check(GNI_GetCompleted(done, entry, &posted), "GNI_GetCompleted");
  while ((code = GNI_CeCheckResult((gni_ce_result_t*)post->local_addr, 1)) == GNI_RC_NOT_DONE) {
    continue;
  }
  check(code, "GNI_CeCheckResult");
  return (gni_ce_result_t*)post->local_addr;
}

int main(void) {
  int spawned = 0, size = 0, local = 0, events_seen = 0;
  static place self, taken[most_ranks], all[most_ranks];
  static gni_ce_result_t results[reductions];
  gni_cdm_handle_t domain;
  gni_cq_handle_t events;
  gni_ce_handle_t engine = NULL;
  gni_mem_handle_t memory;
  PMI_Init(&spawned);
  PMI_Get_rank(&self.rank);
  PMI_Get_size(&size);
  PMI_Get_clique_size(&local);
  check(GNI_CdmCreate((uint32_t)self.rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)atoi(getenv("PMI_GNI_COOKIE")), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &self.address, &nic), "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done), "GNI_CqCreate");
  check(GNI_CqCreate(nic, 64, 0, GNI_CQ_NOBLOCK, NULL, NULL, &events), "GNI_CqCreate");
  check(GNI_MemRegister(nic, (uint64_t)results, sizeof results, NULL, GNI_MEM_READWRITE,
                        (uint32_t)-1, &memory),
        "GNI_MemRegister");
  const int node = self.rank / local;
  const int leads = self.rank % local == local - 1;
  if (leads) {
    check(GNI_CeCreate(nic, &engine), "GNI_CeCreate");
    check(GNI_CeGetId(engine, &self.engine), "GNI_CeGetId");
  }
  PMI_Allgather(&self, taken, sizeof self);
  for (int i = 0; i < size; ++i) all[taken[i].rank] = taken[i];
  if (leads) set_up(engine, events, all, node, size / local, local);
  const gni_ep_handle_t ep =
      edge(&all[node * local + local - 1], (uint32_t)(self.rank % local), GNI_CE_CHILD_PE);
  PMI_Barrier();
  gni_post_descriptor_t post = {0};
  post.type = GNI_POST_CE;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_mem_hndl = memory;
  post.local_addr = (uint64_t)&results[0];
  post.ce_cmd = GNI_FMA_CE_IADD;
  post.ce_mode = GNI_CEMODE_TWO_OP;
  post.ce_red_id = 77;
  post.first_operand = (uint64_t)self.rank + 1;
  post.second_operand = 1;
  const gni_ce_result_t* sum = reduce(ep, &post);
  const double height = (self.rank * 5 % 7) - 1.5;
  double highest = 0;
  post.local_addr = (uint64_t)&results[1];
  post.ce_cmd = GNI_FMA_CE_FPMAX_LIDX;
  post.ce_red_id = 78;
  memcpy(&post.first_operand, &height, sizeof height);
  post.second_operand = (uint64_t)self.rank;
  const gni_ce_result_t* top = reduce(ep, &post);
  memcpy(&highest, &top->result1, sizeof highest);
  post.local_addr = (uint64_t)&results[2];
  post.ce_cmd = GNI_FMA_CE_FPADD;
  post.ce_mode = 0;
  const gni_ce_result_t* total = reduce(ep, &post);
  double of_all = 0;
  memcpy(&of_all, &total->result1, sizeof of_all);
  PMI_Barrier();
  gni_cq_entry_t entry;
  while (leads && GNI_CqGetEvent(events, &entry) == GNI_RC_SUCCESS) {
    if (GNI_CQ_GET_CE_ID(entry) == self.engine) ++events_seen;
  }
  if (leads) check(GNI_CeDestroy(engine), "GNI_CeDestroy");
  printf("rank %d: sum %d of %d, highest %.1f at %d, all %.1f, %d events\n", self.rank,
         (int)sum->result1, (int)sum->result2, highest, (int)top->result2, of_all, events_seen);
  PMI_Finalize();
  return 0;
}
