/* A rank that starts programs: each of them uses the network, as a job of its own (live only). */
#include <gni_pub.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bytes = 512 };
static char from[bytes], to[bytes];

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  printf("wrong: %s: %s\n", call, gni_err_str[code]);
  exit(1);
}

/* Puts a block to itself, before anything of PMI; then says which rank it is. */
static int started(const char* parent) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t done;
  gni_mem_handle_t source, target;
  gni_ep_handle_t endpoint;
  uint32_t address;
  check(GNI_CdmCreate(77, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &address, &nic), "GNI_CdmAttach");
  if (address != (uint32_t)atoi(getenv("PMI_GNI_LOC_ADDR"))) printf("wrong: its node\n");
  check(GNI_CqCreate(nic, 8, 0, GNI_CQ_NOBLOCK, NULL, NULL, &done), "GNI_CqCreate");
  check(GNI_MemRegister(nic, (uintptr_t)from, bytes, NULL, 0, -1, &source), "GNI_MemRegister");
  check(GNI_MemRegister(nic, (uintptr_t)to, bytes, NULL, 0, -1, &target), "GNI_MemRegister");
  check(GNI_EpCreate(nic, done, &endpoint), "GNI_EpCreate");
  check(GNI_EpBind(endpoint, address, 77), "GNI_EpBind");
  memset(from, 0x5a, bytes);
  gni_post_descriptor_t put;
  memset(&put, 0, sizeof put);
  put.type = GNI_POST_RDMA_PUT;
  put.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  put.local_addr = (uintptr_t)from;
  put.local_mem_hndl = source;
  put.remote_addr = (uintptr_t)to;
  put.remote_mem_hndl = target;
  put.length = bytes;
  check(GNI_PostRdma(endpoint, &put), "GNI_PostRdma");
  gni_cq_entry_t event;
  gni_return_t code;
  while ((code = GNI_CqGetEvent(done, &event)) == GNI_RC_NOT_DONE) continue;
  check(code, "GNI_CqGetEvent");
  int spawned, rank, size;
  if (PMI_Init(&spawned) != PMI_SUCCESS || PMI_Get_rank(&rank) != PMI_SUCCESS ||
      PMI_Get_size(&size) != PMI_SUCCESS || PMI_Barrier() != PMI_SUCCESS) {
    printf("wrong: PMI\n");
  }
  printf("started by rank %s: rank %d of %d, put %s\n", parent, rank, size,
         memcmp(from, to, bytes) == 0 ? "right" : "wrong");
  PMI_Finalize();
  return 0;
}

static void start(const char* self, int rank) {
  const pid_t child = fork();
  if (child == 0) {
    char number[16];
    snprintf(number, sizeof number, "%d", rank);
    execl(self, self, number, (char*)NULL);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) printf("wrong: its status %d\n", status);
}

int main(int argc, char** argv) {
  if (argc > 1) return started(argv[1]);
  int spawned, rank;
  PMI_Init(&spawned);
  PMI_Get_rank(&rank);
  start(argv[0], rank);
  start(argv[0], rank);
  /* A child that starts no program ends, with its own status, and leaves the job alone. */
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) exit(3);
  int status = -1;
  waitpid(child, &status, 0);
  printf("rank %d: its child's status %d\n", rank, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  PMI_Barrier();
  PMI_Finalize();
  return 0;
}
