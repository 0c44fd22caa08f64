/* A program on PMI and uGNI alone: its first argument says what it does. */
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

/* Everybody's rank in the order of PMI_Allgather; the caller frees it. */
static int* order_of_ranks(int rank, int size) {
  int* order = malloc((size_t)size * sizeof *order);
  CHECK(PMI_Allgather(&rank, order, sizeof rank) == PMI_SUCCESS);
  return order;
}

static void identity(int rank, int size) {
  int number = -1;
  int ranks[64];
  CHECK(PMI_Get_universe_size(&number) == PMI_SUCCESS && number == size);
  CHECK(PMI_Get_appnum(&number) == PMI_SUCCESS && number == 0);
  int major = 0, minor = -1, revision = -1;
  CHECK(PMI_Get_version_info(&major, &minor, &revision) == PMI_SUCCESS);
  CHECK(major > 0 && minor >= 0 && revision >= 0);
  CHECK(PMI_Get_version_info(NULL, &minor, &revision) == PMI_ERR_INVALID_ARG);
  int clique = 0;
  CHECK(PMI_Get_clique_size(&clique) == PMI_SUCCESS && clique > 0);
  CHECK(PMI_Get_numpes_on_smp(&number) == PMI_SUCCESS && number == clique);
  CHECK(PMI_Get_clique_ranks(ranks, 64) == PMI_SUCCESS);
  int own_nid = -1;
  CHECK(PMI_Get_nid(rank, &own_nid) == PMI_SUCCESS);
  CHECK(own_nid == atoi(getenv("PMI_GNI_LOC_ADDR")));
  for (int i = 0; i < clique; ++i) {
    CHECK(PMI_Get_nid(ranks[i], &number) == PMI_SUCCESS && number == own_nid);
  }
  char id[256];
  char name[256];
  CHECK(PMI_Get_id(id, sizeof id) == PMI_SUCCESS);
  CHECK(PMI_KVS_Get_my_name(name, sizeof name) == PMI_SUCCESS);
  CHECK(strcmp(id, name) == 0 && id[0] != '\0');
  CHECK(PMI_Get_kvs_domain_id(name, sizeof name) == PMI_SUCCESS && strcmp(id, name) == 0);
  CHECK(PMI_Get_kvs_domain_id(name, 1) == PMI_ERR_INVALID_LENGTH);
  printf("rank %d of %d, node %d with %d from %d\n", rank, size, own_nid, clique, ranks[0]);
}

/* Each rank gives as many bytes as its number, and one gives none. */
static void exchange_of_lengths(int rank, int size) {
  int* lengths = malloc((size_t)size * sizeof *lengths);
  int sum = 0;
  for (int i = 0; i < size; ++i) sum += lengths[i] = i * 700;
  char* mine = malloc((size_t)lengths[rank] + 1);
  char* all = malloc((size_t)sum + 1);
  memset(mine, rank + 1, (size_t)lengths[rank]);
  all[sum] = 55;
  CHECK(PMI_Allgatherv(mine, lengths[rank], all, lengths) == PMI_SUCCESS);
  for (int i = 0, at = 0; i < size; ++i) {
    for (int end = at + lengths[i]; at < end; ++at) {
      if (all[at] != (char)(i + 1)) at = end, CHECK(!"what rank i has given");
    }
  }
  CHECK(all[sum] == 55);
  /* One gives another length than the others expect; one expects another. All hear of it. */
  CHECK(PMI_Allgatherv(mine, lengths[rank] - (rank == 0), all, lengths) == PMI_FAIL);
  if (rank == 0 && size > 1) ++lengths[size - 1];
  CHECK(PMI_Allgatherv(mine, lengths[rank], all, lengths) == (size > 1 ? PMI_FAIL : PMI_SUCCESS));
  CHECK(PMI_Allgatherv(mine, lengths[rank], all, rank == 0 ? NULL : lengths) == PMI_FAIL);
  free(all);
  free(mine);
  free(lengths);
}

static void exchange(int rank, int size) {
  exchange_of_lengths(rank, size);
  for (int round = 0; round < 3; ++round) {
    int* order = order_of_ranks(rank, size);
    int in_order = 1;
    uint64_t seen = 0;
    for (int i = 0; i < size; ++i) {
      in_order = in_order && order[i] == i;
      seen |= (uint64_t)1 << order[i];
    }
    CHECK(seen == ((uint64_t)1 << size) - 1);
    CHECK(size == 1 || !in_order);
    /* Data come in the same order as ranks did. */
    char mine[100];
    char* all = malloc((size_t)size * sizeof mine);
    memset(mine, rank * 3 + round, sizeof mine);
    CHECK(PMI_Allgather(mine, all, sizeof mine) == PMI_SUCCESS);
    for (int i = 0; i < size; ++i) {
      CHECK(all[(size_t)i * sizeof mine] == (char)(order[i] * 3 + round));
      CHECK(all[(size_t)(i + 1) * sizeof mine - 1] == (char)(order[i] * 3 + round));
    }
    free(all);
    free(order);
    /* With zeros within. */
    int told[3] = {rank, 0, rank + 1};
    if (rank == 0) told[2] = 77 + round;
    CHECK(PMI_Bcast(told, sizeof told) == PMI_SUCCESS);
    CHECK(told[0] == 0 && told[1] == 0 && told[2] == 77 + round);
  }
  /* Some that take several pieces, live: everybody's place in the order, again and again. */
  enum { many = 5000 };
  int* order = order_of_ranks(rank, size);
  int* given = malloc(many * sizeof *given);
  int* taken = malloc((size_t)size * many * sizeof *taken);
  for (int i = 0; i < many; ++i) given[i] = rank * many + i;
  for (int length = 1020; length <= many; length += length < 1026 ? 1 : 1987) {
    CHECK(PMI_Allgather(given, taken, (int)sizeof *given * length) == PMI_SUCCESS);
    int right = 1;
    for (int i = 0; i < size * length; ++i) {
      right = right && taken[i] == order[i / length] * many + i % length;
    }
    CHECK(right);
  }
  free(taken);
  free(given);
  free(order);
  CHECK(PMI_Allgather(NULL, NULL, 0) == PMI_SUCCESS);
  CHECK(PMI_Bcast(NULL, 0) == PMI_SUCCESS);
  printf("rank %d: %d wrong\n", rank, wrong);
}

static void key_values(int rank, int size) {
  char space[256];
  char key[64];
  char value[64];
  char expected[64];
  CHECK(PMI_KVS_Get_my_name(space, sizeof space) == PMI_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    snprintf(key, sizeof key, "address of %d", rank);
    snprintf(value, sizeof value, "round %d, rank %d", round, rank);
    CHECK(PMI_KVS_Put(space, key, value) == PMI_SUCCESS);
    CHECK(PMI_KVS_Put(space, "not committed", "x") == PMI_SUCCESS || round > 0);
    if (round == 0) CHECK(PMI_KVS_Get(space, key, value, sizeof value) == PMI_FAIL);
    CHECK(PMI_KVS_Commit(space) == PMI_SUCCESS);
    CHECK(PMI_Barrier() == PMI_SUCCESS);
    for (int other = 0; other < size; ++other) {
      snprintf(key, sizeof key, "address of %d", other);
      snprintf(expected, sizeof expected, "round %d, rank %d", round, other);
      CHECK(PMI_KVS_Get(space, key, value, sizeof value) == PMI_SUCCESS);
      CHECK(strcmp(value, expected) == 0);
    }
    CHECK(PMI_Barrier() == PMI_SUCCESS);
  }
  /* What does not fit, and what is not there. */
  CHECK(PMI_KVS_Get(space, "address of 0", value, (int)strlen("round 1, rank 0")) ==
        PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_KVS_Get(space, "address of 0", value, (int)sizeof "round 1, rank 0") == PMI_SUCCESS);
  CHECK(PMI_KVS_Get(space, "never put", value, sizeof value) == PMI_FAIL);
  printf("rank %d: %d wrong\n", rank, wrong);
}

/* All are in step: what they exchange arrives. */
static void check_in_step(int rank, int size) {
  int* order = order_of_ranks(rank, size);
  int sum = 0;
  for (int i = 0; i < size; ++i) sum += order[i];
  CHECK(sum == size * (size - 1) / 2);
  int told = rank == 0 ? 4711 : 0;
  CHECK(PMI_Bcast(&told, sizeof told) == PMI_SUCCESS && told == 4711);
  free(order);
}

/* One rank calls with what cannot be, or with something else than the others: all hear of it. */
static void mistakes_of_one(int rank, int size) {
  int given[2] = {rank, rank};
  int* taken = malloc((size_t)size * sizeof given);
  for (int who = 0; who < size; ++who) {
    const int wrong_here = rank == who;
    CHECK(PMI_Allgather(given, taken, wrong_here ? -1 : 4) == PMI_FAIL);
    CHECK(PMI_Allgather(given, wrong_here ? NULL : taken, 4) == PMI_FAIL);
    CHECK(PMI_Allgather(wrong_here ? NULL : given, taken, 4) == PMI_FAIL);
    CHECK(PMI_Bcast(given, wrong_here ? -1 : 4) == PMI_FAIL);
    check_in_step(rank, size);
    CHECK(PMI_Bcast(wrong_here ? NULL : given, 4) == PMI_FAIL);
    check_in_step(rank, size);
    /* Another size, and another call. */
    CHECK(PMI_Allgather(given, taken, wrong_here ? 8 : 4) == PMI_FAIL);
    check_in_step(rank, size);
    if (wrong_here) {
      CHECK(PMI_Barrier() == PMI_SUCCESS);
    } else {
      CHECK(PMI_Allgather(given, taken, 4) == PMI_FAIL);
    }
    check_in_step(rank, size);
  }
  free(taken);
  printf("rank %d: %d wrong\n", rank, wrong);
}

static void refuse_all(const char* when) {
  int number = 0;
  int ranks[1];
  char text[8];
  printf("%s\n", when);
  CHECK(PMI_Get_rank(&number) == PMI_FAIL);
  CHECK(PMI_Get_size(&number) == PMI_FAIL);
  CHECK(PMI_Get_universe_size(&number) == PMI_FAIL);
  CHECK(PMI_Get_appnum(&number) == PMI_FAIL);
  CHECK(PMI_Barrier() == PMI_FAIL);
  CHECK(PMI_Allgather(&number, &number, sizeof number) == PMI_FAIL);
  CHECK(PMI_Bcast(&number, sizeof number) == PMI_FAIL);
  CHECK(PMI_Allgatherv(&number, sizeof number, &number, &number) == PMI_FAIL);
  CHECK(PMI_Get_version_info(&number, &number, &number) == PMI_FAIL);
  CHECK(PMI_Get_clique_size(&number) == PMI_FAIL);
  CHECK(PMI_Get_clique_ranks(ranks, 1) == PMI_FAIL);
  CHECK(PMI_Get_numpes_on_smp(&number) == PMI_FAIL);
  CHECK(PMI_Get_pes_on_smp(ranks, 1) == PMI_FAIL);
  void* nids = NULL;
  CHECK(PMI_Get_nidlist_ptr(&nids) == PMI_FAIL);
  CHECK(PMI_Allgather_on_smp(&number, ranks, sizeof number) == PMI_FAIL);
  CHECK(PMI_Get_nid(0, &number) == PMI_FAIL);
  CHECK(PMI_Get_id(text, sizeof text) == PMI_FAIL);
  CHECK(PMI_Get_id_length_max(&number) == PMI_FAIL);
  CHECK(PMI_KVS_Get_my_name(text, sizeof text) == PMI_FAIL);
  CHECK(PMI_KVS_Get_name_length_max(&number) == PMI_FAIL);
  CHECK(PMI_KVS_Get_key_length_max(&number) == PMI_FAIL);
  CHECK(PMI_KVS_Get_value_length_max(&number) == PMI_FAIL);
  CHECK(PMI_KVS_Put("job", "key", "value") == PMI_FAIL);
  CHECK(PMI_KVS_Get("job", "key", text, sizeof text) == PMI_FAIL);
  CHECK(PMI_KVS_Commit("job") == PMI_FAIL);
  CHECK(PMI_Finalize() == PMI_FAIL);
}

static void mistakes(int rank, int size) {
  char space[256];
  char text[256];
  int number = 0;
  int ranks[64];
  int clique = 0;
  PMI_KVS_Get_my_name(space, sizeof space);
  PMI_Get_clique_size(&clique);
  CHECK(PMI_Init(NULL) == PMI_FAIL);
  CHECK(PMI_Initialized(NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_rank(NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_size(NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_clique_ranks(NULL, 64) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_clique_ranks(ranks, clique - 1) == PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_Get_clique_ranks(ranks, clique) == PMI_SUCCESS);
  CHECK(PMI_Get_nid(-1, &number) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_nid(size, &number) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_nid(0, NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Allgather(NULL, text, 1) == PMI_FAIL);
  CHECK(PMI_Allgather(&rank, NULL, 1) == PMI_FAIL);
  CHECK(PMI_Allgather(&rank, text, -1) == PMI_FAIL);
  CHECK(PMI_Bcast(NULL, 1) == PMI_FAIL);
  CHECK(PMI_Bcast(text, -1) == PMI_FAIL);
  CHECK(PMI_Get_id(NULL, 10) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Get_id(text, (int)strlen(space)) == PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_Get_id(text, (int)strlen(space) + 1) == PMI_SUCCESS);
  CHECK(PMI_KVS_Get_my_name(text, 0) == PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_KVS_Get_my_name(text, -1) == PMI_ERR_INVALID_LENGTH);
  CHECK(PMI_KVS_Put("another", "key", "value") == PMI_ERR_INVALID_ARG);
  CHECK(PMI_KVS_Put(NULL, "key", "value") == PMI_ERR_INVALID_ARG);
  CHECK(PMI_KVS_Put(space, "", "value") == PMI_ERR_INVALID_KEY);
  CHECK(PMI_KVS_Put(space, NULL, "value") == PMI_ERR_INVALID_KEY);
  CHECK(PMI_KVS_Put(space, "key", NULL) == PMI_ERR_INVALID_VAL);
  CHECK(PMI_KVS_Get(space, NULL, text, sizeof text) == PMI_ERR_INVALID_KEY);
  CHECK(PMI_KVS_Get(space, "key", NULL, sizeof text) == PMI_ERR_INVALID_VAL);
  CHECK(PMI_KVS_Get("another", "key", text, sizeof text) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_KVS_Commit("another") == PMI_ERR_INVALID_ARG);
  /* The longest key and value fit, one more does not. */
  int longest = 0;
  CHECK(PMI_KVS_Get_key_length_max(&longest) == PMI_SUCCESS);
  char* key = calloc((size_t)longest + 1, 1);
  memset(key, 'k', (size_t)longest);
  CHECK(PMI_KVS_Put(space, key, "value") == PMI_ERR_INVALID_KEY_LENGTH);
  key[longest - 1] = '\0';
  CHECK(PMI_KVS_Put(space, key, "value") == PMI_SUCCESS);
  free(key);
  CHECK(PMI_KVS_Get_value_length_max(&longest) == PMI_SUCCESS);
  char* value = calloc((size_t)longest + 1, 1);
  memset(value, 'v', (size_t)longest);
  CHECK(PMI_KVS_Put(space, "key", value) == PMI_ERR_INVALID_VAL_LENGTH);
  value[longest - 1] = '\0';
  CHECK(PMI_KVS_Put(space, "key", value) == PMI_SUCCESS);
  free(value);
  /* Counted starts and ends. */
  int spawned = 7;
  PMI_BOOL there = PMI_FALSE;
  CHECK(PMI_Init(&spawned) == PMI_SUCCESS && spawned == PMI_FALSE);
  CHECK(PMI_Finalize() == PMI_SUCCESS);
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS && there == PMI_TRUE);
  CHECK(PMI_Finalize() == PMI_SUCCESS);
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS && there == PMI_FALSE);
  refuse_all("after PMI_Finalize");
  printf("rank %d: %d wrong\n", rank, wrong);
}

/* As uGNI programs open: tag, cookie and device from the environment, addresses by PMI; each rank
   PUTs its number to the next one. */
static void put_to_next(int rank, int size) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t sent;
  gni_ep_handle_t endpoint;
  uint32_t address = 0;
  struct {
    int rank;
    uint32_t address;
    uint64_t base;
    gni_mem_handle_t memory;
  } mine, *all;
  uint64_t* buffer = calloc(8, sizeof *buffer);
  CHECK(GNI_CdmCreate((uint32_t)rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0,
                      &domain) == GNI_RC_SUCCESS);
  CHECK(GNI_CdmAttach(domain, (uint32_t)atoi(getenv("PMI_GNI_DEV_ID")), &address, &nic) ==
        GNI_RC_SUCCESS);
  CHECK(address == (uint32_t)atoi(getenv("PMI_GNI_LOC_ADDR")));
  CHECK(GNI_CqCreate(nic, 8, 0, GNI_CQ_NOBLOCK, NULL, NULL, &sent) == GNI_RC_SUCCESS);
  memset(&mine, 0, sizeof mine);
  mine.rank = rank;
  mine.address = address;
  mine.base = (uint64_t)(uintptr_t)buffer;
  CHECK(GNI_MemRegister(nic, mine.base, 64, NULL, GNI_MEM_READWRITE, (uint32_t)-1, &mine.memory) ==
        GNI_RC_SUCCESS);
  all = malloc((size_t)size * sizeof *all);
  CHECK(PMI_Allgather(&mine, all, sizeof mine) == PMI_SUCCESS);
  const int next = (rank + 1) % size;
  int at = 0;
  while (all[at].rank != next) ++at;
  CHECK(GNI_EpCreate(nic, sent, &endpoint) == GNI_RC_SUCCESS);
  CHECK(GNI_EpBind(endpoint, all[at].address, (uint32_t)next) == GNI_RC_SUCCESS);
  buffer[0] = (uint64_t)rank + 100;
  gni_post_descriptor_t post;
  memset(&post, 0, sizeof post);
  post.type = GNI_POST_FMA_PUT;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_addr = (uint64_t)(uintptr_t)&buffer[0];
  post.remote_addr = all[at].base + 8;
  post.remote_mem_hndl = all[at].memory;
  post.length = 8;
  CHECK(GNI_PostFma(endpoint, &post) == GNI_RC_SUCCESS);
  gni_cq_entry_t event;
  while (GNI_CqGetEvent(sent, &event) == GNI_RC_NOT_DONE) {
  }
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  printf("rank %d got %d, %d wrong\n", rank, (int)buffer[1], wrong);
  free(all);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "identity";
  int spawned = -1;
  int rank = -1;
  int size = -1;
  PMI_BOOL there = PMI_TRUE;
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS && there == PMI_FALSE);
  CHECK(PMI_Init(&spawned) == PMI_SUCCESS && spawned == PMI_FALSE);
  if (wrong != 0) return 1;
  CHECK(PMI_Initialized(&there) == PMI_SUCCESS && there == PMI_TRUE);
  CHECK(PMI_Get_rank(&rank) == PMI_SUCCESS);
  CHECK(PMI_Get_size(&size) == PMI_SUCCESS);
  if (strcmp(what, "identity") == 0) identity(rank, size);
  if (strcmp(what, "exchange") == 0) exchange(rank, size);
  if (strcmp(what, "key_values") == 0) key_values(rank, size);
  if (strcmp(what, "put") == 0) put_to_next(rank, size);
  if (strcmp(what, "mistakes_of_one") == 0) mistakes_of_one(rank, size);
  if (strcmp(what, "mistakes") == 0) {
    mistakes(rank, size);
    return wrong != 0;
  }
  if (strcmp(what, "abort") == 0) {
    if (rank == size - 1) PMI_Abort(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
    PMI_Barrier();
  }
  if (strcmp(what, "leave") == 0) { /* one start of two has been ended */
    CHECK(PMI_Init(&spawned) == PMI_SUCCESS);
    CHECK(PMI_Finalize() == PMI_SUCCESS);
    if (rank == size - 1) exit(atoi(argv[2]));
    PMI_Barrier();
  }
  CHECK(PMI_Finalize() == PMI_SUCCESS);
  return wrong != 0;
}
