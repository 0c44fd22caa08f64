/* Rank 0, or the rank of the second argument, registers memory with GNI and unmaps it (first
   argument `protected`: makes it read-only); the rank before it, of rank 0 the last, then puts into
   it. */
#include <gni_pub.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { page = 4096, page_count = 4 };

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct target {
  uint64_t address;
  gni_mem_handle_t memory;
  uint32_t nic;
};

static void put(gni_nic_handle_t nic, const struct target* to, int owner) {
  static uint64_t word = 1;
  gni_cq_handle_t queue;
  gni_ep_handle_t endpoint;
  gni_post_descriptor_t post;
  gni_cq_entry_t event;
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &queue), "GNI_CqCreate");
  check(GNI_EpCreate(nic, queue, &endpoint), "GNI_EpCreate");
  check(GNI_EpBind(endpoint, to->nic, 0x200000u + (uint32_t)owner), "GNI_EpBind");
  memset(&post, 0, sizeof post);
  post.type = GNI_POST_FMA_PUT;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.local_addr = (uint64_t)(uintptr_t)&word;
  post.remote_addr = to->address + page;
  post.remote_mem_hndl = to->memory;
  post.length = sizeof word;
  check(GNI_PostFma(endpoint, &post), "GNI_PostFma");
  while (GNI_CqGetEvent(queue, &event) == GNI_RC_NOT_DONE) {
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int ranks = 1;
  const int is_protected = argc > 1 && strcmp(argv[1], "protected") == 0;
  const int owner = argc > 2 ? atoi(argv[2]) : 0;
  struct target target;
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memset(&target, 0, sizeof target);
  check(GNI_CdmCreate(0x200000u + (uint32_t)rank, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &target.nic, &nic), "GNI_CdmAttach");
  if (rank == owner) {
    char* memory =
        mmap(NULL, page_count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    target.address = (uint64_t)(uintptr_t)memory;
    check(GNI_MemRegister(nic, target.address, page_count * page, NULL, 0, (uint32_t)-1,
                          &target.memory),
          "GNI_MemRegister");
    if (is_protected) {
      mprotect(memory, page_count * page, PROT_READ);
    } else {
      munmap(memory, page_count * page);
    }
  }
  MPI_Bcast(&target, sizeof target, MPI_BYTE, owner, MPI_COMM_WORLD);
  if (rank == (owner + ranks - 1) % ranks) put(nic, &target, owner);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
