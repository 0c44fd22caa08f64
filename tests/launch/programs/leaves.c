/* A job whose rank 0 leaves something behind: leaves nothing|mpi|message|ugni|abort. */
#include <gni_pub.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(gni_return_t code, const char* call) {
  if (code == GNI_RC_SUCCESS) return;
  printf("%s: %s\n", call, gni_err_str[code]);
  exit(1);
}

static void leave_of_mpi(int rank) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Request request;
  int word = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank != 0) {
    MPI_Comm_free(&comm);
    return;
  }
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Recv_init(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
}

static void leave_a_message(int rank, int size) {
  int word = 7;
  MPI_Request request;
  if (rank == size - 1) {
    MPI_Isend(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A PUT to the own memory, whose event stays in its queue. All is given back, or nothing. */
static void use_ugni(int gives_back) {
  static uint64_t words[512];
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t queue;
  gni_ep_handle_t endpoint;
  gni_mem_handle_t memory;
  uint32_t address;
  gni_post_descriptor_t post;
  gni_cq_entry_t event;
  gni_post_descriptor_t* done;
  check(GNI_CdmCreate(900, (uint8_t)atoi(getenv("PMI_GNI_PTAG")),
                      (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10), 0, &domain),
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &address, &nic), "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 16, 0, GNI_CQ_NOBLOCK, NULL, NULL, &queue), "GNI_CqCreate");
  check(GNI_MemRegister(nic, (uint64_t)(uintptr_t)words, sizeof words, NULL, GNI_MEM_READWRITE,
                        (uint32_t)-1, &memory),
        "GNI_MemRegister");
  check(GNI_EpCreate(nic, queue, &endpoint), "GNI_EpCreate");
  check(GNI_EpBind(endpoint, address, 900), "GNI_EpBind");
  memset(&post, 0, sizeof post);
  post.type = GNI_POST_FMA_PUT;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  post.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
  post.local_addr = (uint64_t)(uintptr_t)words;
  post.remote_addr = (uint64_t)(uintptr_t)(words + 8);
  post.remote_mem_hndl = memory;
  post.length = 8;
  check(GNI_PostFma(endpoint, &post), "GNI_PostFma");
  if (!gives_back) return;
  gni_return_t code;
  do code = GNI_CqGetEvent(queue, &event);
  while (code == GNI_RC_NOT_DONE);
  check(code, "GNI_CqGetEvent");
  check(GNI_GetCompleted(queue, event, &done), "GNI_GetCompleted");
  check(GNI_EpUnbind(endpoint), "GNI_EpUnbind");
  check(GNI_EpDestroy(endpoint), "GNI_EpDestroy");
  check(GNI_MemDeregister(nic, &memory), "GNI_MemDeregister");
  check(GNI_CqDestroy(queue), "GNI_CqDestroy");
  check(GNI_CdmDestroy(domain), "GNI_CdmDestroy");
}

int main(int argc, char** argv) {
  int rank, size;
  const char* const what = argc > 1 ? argv[1] : "nothing";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "mpi") == 0) leave_of_mpi(rank);
  if (strcmp(what, "message") == 0) leave_a_message(rank, size);
  if (rank == 0) use_ugni(strcmp(what, "ugni") != 0);
  if (strcmp(what, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Finalize();
  return 0;
}
