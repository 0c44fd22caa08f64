/* PMI2 as its clients use it; "abort": the second rank ends the job. */
#include <pmi2.h>
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

static void attributes_of_job(int size) {
  char text[PMI2_MAX_ATTRVALUE];
  int found = 7, numbers[4] = {0}, count = 0;
  CHECK(PMI2_Info_GetJobAttr("universeSize", text, sizeof text, &found) == PMI2_SUCCESS);
  CHECK(found == 1 && atoi(text) == size);
  CHECK(PMI2_Info_GetJobAttrIntArray("universeSize", numbers, 4, &count, &found) == PMI2_SUCCESS);
  CHECK(found == 1 && count == 1 && numbers[0] == size);
  CHECK(PMI2_Info_GetJobAttr("hasNameServ", text, sizeof text, &found) == PMI2_SUCCESS);
  CHECK(found == 1 && strcmp(text, "TRUE") == 0);
  CHECK(PMI2_Info_GetJobAttrIntArray("hasNameServ", numbers, 4, &count, &found) ==
        PMI2_ERR_INVALID_VAL);
  CHECK(PMI2_Info_GetJobAttr("none", text, sizeof text, &found) == PMI2_SUCCESS && found == 0);
  CHECK(PMI2_Info_GetJobAttr("", text, sizeof text, &found) == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_Info_GetJobAttr("none", NULL, 0, &found) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_Info_GetJobAttr("PMI_process_mapping", text, 4, &found) ==
        PMI2_ERR_INVALID_VAL_LENGTH);
  CHECK(PMI2_Info_GetJobAttr("PMI_process_mapping", text, sizeof text, &found) == PMI2_SUCCESS);
  printf("mapping %s\n", text);
}

static void attributes_of_node(int rank) {
  char text[PMI2_MAX_ATTRVALUE], expected[64];
  int found = 7, local[64], count = 0, here = 0, first = rank;
  CHECK(PMI2_Info_GetSize(&here) == PMI2_SUCCESS);
  CHECK(PMI2_Info_GetSize(NULL) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_Info_GetNodeAttr("localRanksCount", text, sizeof text, &found, 0) == PMI2_SUCCESS);
  CHECK(found == 1 && atoi(text) == here);
  CHECK(PMI2_Info_GetNodeAttrIntArray("localRanks", local, 64, &count, &found) == PMI2_SUCCESS);
  CHECK(found == 1 && count == here);
  for (int i = 0; i < here; ++i) first = local[i] < first ? local[i] : first;
  CHECK(PMI2_Info_GetNodeAttrIntArray("localRanks", local, 0, &count, &found) == PMI2_SUCCESS);
  CHECK(count == here);
  CHECK(PMI2_Info_GetNodeAttr("of another", text, sizeof text, &found, 0) == PMI2_SUCCESS);
  CHECK(found == 0);
  /* The first rank of the node tells the others, which wait for it. */
  snprintf(expected, sizeof expected, "shared by rank %d", first);
  if (rank == first) {
    usleep(1000);
    CHECK(PMI2_Info_PutNodeAttr("sharedFilename", expected) == PMI2_SUCCESS);
    CHECK(PMI2_Info_PutNodeAttr("sharedFilename", expected) == PMI2_ERR_INVALID_KEY);
  }
  CHECK(PMI2_Info_GetNodeAttr("sharedFilename", text, sizeof text, &found, 1) == PMI2_SUCCESS);
  CHECK(found == 1 && strcmp(text, expected) == 0);
  char* longest = calloc(PMI2_MAX_ATTRVALUE + 1, 1);
  memset(longest, 'a', PMI2_MAX_ATTRVALUE);
  CHECK(PMI2_Info_PutNodeAttr("long", longest) == PMI2_ERR_INVALID_VAL_LENGTH);
  CHECK(PMI2_Info_PutNodeAttr("none", NULL) == PMI2_ERR_INVALID_VAL);
  CHECK(PMI2_Info_PutNodeAttr("localRanks", "1") == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_Info_PutNodeAttr(longest, "1") == PMI2_ERR_INVALID_KEY);
  free(longest);
}

static void key_values(int rank, int size) {
  char key[64], value[64], expected[64], space[256], job[256];
  int length = 0;
  for (int round = 0; round < 2; ++round) {
    snprintf(key, sizeof key, "key of %d", rank);
    snprintf(value, sizeof value, "round %d of %d", round, rank);
    CHECK(PMI2_KVS_Put(key, value) == PMI2_SUCCESS);
    CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
    for (int other = 0; other < size; ++other) {
      snprintf(key, sizeof key, "key of %d", other);
      snprintf(expected, sizeof expected, "round %d of %d", round, other);
      CHECK(PMI2_KVS_Get(NULL, other, key, value, sizeof value, &length) == PMI2_SUCCESS);
      CHECK(strcmp(value, expected) == 0 && length == (int)strlen(expected));
    }
    CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  }
  CHECK(PMI2_Job_GetId(job, sizeof job) == PMI2_SUCCESS);
  CHECK(PMI2_Job_GetId(job, 2) == PMI2_ERR_INVALID_LENGTH);
  CHECK(PMI2_Job_GetId(NULL, 2) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_KVS_Get(job, PMI2_ID_NULL, "key of 0", value, 6, &length) == PMI2_SUCCESS);
  CHECK(strcmp(value, "round") == 0 && length == -(int)strlen("round 1 of 0"));
  CHECK(PMI2_KVS_Get("another", 0, "key of 0", value, 6, &length) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_KVS_Get(NULL, 0, "key of 0", NULL, 6, &length) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_KVS_Get(NULL, 0, "key of 0", value, 0, &length) == PMI2_ERR_INVALID_LENGTH);
  CHECK(PMI2_KVS_Get(NULL, 0, "never put", value, 6, &length) == PMI2_FAIL);
  CHECK(PMI2_KVS_Get(NULL, 0, "", value, 6, &length) == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_KVS_Put(NULL, "value") == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_KVS_Put("key", NULL) == PMI2_ERR_INVALID_VAL);
  char* longest = calloc(PMI2_MAX_VALLEN + 1, 1);
  memset(longest, 'v', PMI2_MAX_VALLEN);
  CHECK(PMI2_KVS_Put("key", longest) == PMI2_ERR_INVALID_VAL_LENGTH);
  CHECK(PMI2_KVS_Put(longest, "value") == PMI2_ERR_INVALID_KEY_LENGTH);
  longest[PMI2_MAX_VALLEN - 1] = '\0';
  CHECK(PMI2_KVS_Put("key", longest) == PMI2_SUCCESS);
  free(longest);
  /* One space for both versions. */
  CHECK(PMI_KVS_Get_my_name(space, sizeof space) == PMI_SUCCESS && strcmp(space, job) == 0);
  CHECK(PMI_KVS_Get(space, "key of 0", value, sizeof value) == PMI_SUCCESS);
  CHECK(strcmp(value, "round 1 of 0") == 0);
}

static void services(int rank) {
  char port[64];
  if (rank == 0) CHECK(PMI2_Nameserv_publish("service", NULL, "port 9") == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_publish("", NULL, "port 9") == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_Nameserv_publish("service", NULL, NULL) == PMI2_ERR_INVALID_VAL);
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_lookup("service", NULL, port, sizeof port) == PMI2_SUCCESS);
  CHECK(strcmp(port, "port 9") == 0);
  CHECK(PMI2_Nameserv_lookup("service", NULL, port, 3) == PMI2_ERR_INVALID_LENGTH);
  CHECK(PMI2_Nameserv_lookup("service", NULL, NULL, 3) == PMI2_ERR_INVALID_ARG);
  CHECK(PMI2_Nameserv_lookup("none", NULL, port, sizeof port) == PMI2_FAIL);
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  /* Version 1 has the same names. */
  char long_port[PMI2_MAX_VALLEN];
  CHECK(PMI_Lookup_name("service", long_port) == PMI_SUCCESS && strcmp(long_port, port) == 0);
  CHECK(PMI_Lookup_name("service", NULL) == PMI_ERR_INVALID_ARG);
  CHECK(PMI_Lookup_name("none", long_port) == PMI_FAIL);
  CHECK(PMI_Publish_name(NULL, "port 9") == PMI_ERR_INVALID_KEY);
  CHECK(PMI_Publish_name("service", NULL) == PMI_ERR_INVALID_VAL);
  CHECK(PMI_Unpublish_name("") == PMI_ERR_INVALID_KEY);
  if (rank == 0) CHECK(PMI_Publish_name("other", "port 10") == PMI_SUCCESS);
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  CHECK(PMI2_Nameserv_lookup("other", NULL, port, sizeof port) == PMI2_SUCCESS);
  CHECK(strcmp(port, "port 10") == 0);
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  if (rank == 0) CHECK(PMI_Unpublish_name("other") == PMI_SUCCESS);
  CHECK(PMI_Barrier() == PMI_SUCCESS);
  CHECK(PMI_Lookup_name("other", long_port) == PMI_FAIL);
  if (rank == 0) CHECK(PMI2_Nameserv_unpublish("service", NULL) == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_unpublish("", NULL) == PMI2_ERR_INVALID_KEY);
  CHECK(PMI2_KVS_Fence() == PMI2_SUCCESS);
  CHECK(PMI2_Nameserv_lookup("service", NULL, port, sizeof port) == PMI2_FAIL);
}

static void use_pmi2(void) {
  int spawned = 7, size = 0, rank = -1, appnum = 7, number = -1;
  CHECK(PMI2_Initialized() == 0);
  CHECK(PMI2_Finalize() == PMI2_ERR_INIT);
  CHECK(PMI2_Init(NULL, NULL, NULL, NULL) == PMI2_SUCCESS);
  CHECK(PMI2_Init(&spawned, &size, &rank, &appnum) == PMI2_SUCCESS);
  CHECK(PMI2_Initialized() != 0 && spawned == 0 && appnum == 0);
  CHECK(PMI_Get_rank(&number) == PMI_SUCCESS && number == rank);
  CHECK(PMI_Get_size(&number) == PMI_SUCCESS && number == size);
  CHECK(PMI2_Job_GetRank(&number) == PMI2_SUCCESS && number == rank);
  CHECK(PMI2_Job_GetRank(NULL) == PMI2_ERR_INVALID_ARG);
  attributes_of_job(size);
  attributes_of_node(rank);
  key_values(rank, size);
  services(rank);
  CHECK(PMI2_Finalize() == PMI2_SUCCESS && PMI2_Initialized() != 0);
  CHECK(PMI2_Finalize() == PMI2_SUCCESS && PMI2_Initialized() == 0);
  CHECK(PMI2_KVS_Fence() == PMI2_FAIL);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "abort") == 0) {
    int rank = 0;
    PMI2_Init(NULL, NULL, &rank, NULL);
    if (rank == 1) PMI2_Abort(1, "by version 2");
    PMI2_KVS_Fence();
  }
  use_pmi2();
  printf("%d wrong\n", wrong);
  return wrong;
}
