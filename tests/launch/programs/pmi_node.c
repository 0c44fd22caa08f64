/* What PMI says of the ranks of a node, and their own exchange. */
#include <pmi_cray_ext.h>
#include <stdio.h>
#include <stdlib.h>

/* Other runtimes define the type themselves where the macro is not there, and know these names by
   pmi_cray.h. */
#ifndef PMI_TRUE
typedef int PMI_BOOL;
#endif
_Static_assert(PMI_FALSE == 0 && PMI_TRUE == 1, "for #if");
_Static_assert(PMI2_MAX_KEYLEN > 32 && PMI2_MAX_VALLEN >= 1024 && PMI2_ID_NULL == -1, "of PMI2");

static int wrong = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

static int rank = -1, size = -1, here = -1;
static int* order; /* ranks of the node, as PMI_Allgather_on_smp orders them */

static int byte_of(int of_rank, int call, int at) { return (of_rank * 31 + call * 7 + at) & 127; }

static void places(void) {
  int *ranks = malloc((size_t)here * sizeof *ranks), *nids = NULL, number = -1;
  void* list = NULL;
  CHECK(PMI_Get_nidlist_ptr(&list) == PMI_SUCCESS && list != NULL);
  nids = list;
  for (int i = 0; i < size; ++i) CHECK(PMI_Get_nid(i, &number) == PMI_SUCCESS && number == nids[i]);
  list = NULL;
  CHECK(PMI_Get_nidlist_ptr(&list) == PMI_SUCCESS && list == nids);
  CHECK(PMI_Get_nidlist_ptr(NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_pes_on_smp(ranks, here) == PMI_SUCCESS);
  for (int i = 0; i < here; ++i) CHECK(nids[ranks[i]] == nids[rank]);
  CHECK(PMI_Get_pes_on_smp(ranks, here - 1) == PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_Get_pes_on_smp(NULL, 0) == PMI_ERR_INVALID_ARG);
  free(ranks);
  CHECK(PMI_Get_rank_in_app(&number) == PMI_SUCCESS && number == rank);
  CHECK(PMI_Get_numpes_in_app_on_smp(&number) == PMI_SUCCESS && number == here);
  CHECK(PMI_Get_app_size(0, &number) == PMI_SUCCESS && number == size);
  CHECK(PMI_Get_app_size(1, &number) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_app_size(0, NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_rank_in_app(NULL) == PMI_ERR_INVALID_ARG);
}

static void exchange(int call, int length) {
  char* mine = malloc((size_t)length + 1);
  char* all = malloc((size_t)length * (size_t)here + 1);
  for (int i = 0; i < length; ++i) mine[i] = (char)byte_of(rank, call, i);
  all[(size_t)length * (size_t)here] = 99;
  CHECK(PMI_Allgather_on_smp(mine, all, length) == PMI_SUCCESS);
  int right = 1;
  for (int who = 0; who < here; ++who) {
    for (int i = 0; i < length; ++i) {
      right =
          right && all[(size_t)who * (size_t)length + (size_t)i] == byte_of(order[who], call, i);
    }
  }
  CHECK(right);
  CHECK(all[(size_t)length * (size_t)here] == 99);
  free(all);
  free(mine);
}

static void exchanges(void) {
  const int lengths[] = {0, 1, 16383, 16384, 16385, 50000, 4};
  order = malloc((size_t)here * sizeof *order);
  CHECK(PMI_Allgather_on_smp(&rank, order, sizeof rank) == PMI_SUCCESS);
  int *ranks = malloc((size_t)here * sizeof *ranks), found = 0;
  CHECK(PMI_Get_clique_ranks(ranks, here) == PMI_SUCCESS);
  for (int i = 0; i < here; ++i) {
    for (int j = 0; j < here; ++j) found += ranks[i] == order[j];
  }
  CHECK(found == here);
  CHECK(here == 1 || order[0] != ranks[0]);
  /* A node does not wait for another: the first one has more to exchange. */
  const int calls = ranks[0] == 0 ? 40 : 7;
  for (int call = 0; call < calls; ++call) exchange(call, lengths[call % 7]);
  CHECK(PMI_Allgather_on_smp(NULL, NULL, 0) == PMI_SUCCESS);
  free(ranks);
}

/* One rank of a node calls with what cannot be: the node's ranks hear of it, no others. */
static void mistakes(void) {
  int given[2] = {rank, rank};
  int* taken = malloc((size_t)here * sizeof given);
  for (int who = 0; who < here; ++who) {
    const int wrong_here = rank == order[who];
    CHECK(PMI_Allgather_on_smp(given, taken, wrong_here ? -1 : 4) == PMI_FAIL);
    CHECK(PMI_Allgather_on_smp(given, wrong_here ? NULL : taken, 4) == PMI_FAIL);
    CHECK(PMI_Allgather_on_smp(wrong_here ? NULL : given, taken, 4) == PMI_FAIL);
    CHECK(PMI_Allgather_on_smp(given, taken, wrong_here ? 8 : 4) ==
          (here == 1 ? PMI_SUCCESS : PMI_FAIL));
    exchange(who, 20000);
  }
  free(taken);
}

int main(void) {
  int spawned = PMI_TRUE;
  PMI_BOOL there = PMI_FALSE;
  CHECK(PMI_Init(&spawned) == PMI_SUCCESS && spawned == PMI_FALSE);
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS && there == PMI_TRUE);
  CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS && PMI_Get_size(&size) == PMI_SUCCESS);
  CHECK(PMI_Get_clique_size(&here) == PMI_SUCCESS && here > 0);
  places();
  exchanges();
  mistakes();
  printf("rank %d of %d: %d wrong\n", rank, here, wrong);
  CHECK(PMI_Finalize() == PMI_SUCCESS);
  CHECK(PMI_Allgather_on_smp(&rank, order, sizeof rank) == PMI_FAIL);
  return wrong != 0;
}
