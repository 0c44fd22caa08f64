/* Every rank blocks in GNI_CqWaitEvent for as many milliseconds as its argument says, and says what
   CPU time its process has used meanwhile, all threads together. */
#include <gni_pub.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long microseconds_used(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec +
         used.ru_stime.tv_usec;
}

static void check(gni_return_t code, gni_return_t expected, const char* call) {
  if (code == expected) return;
  fprintf(stderr, "%s: %s\n", call, gni_err_str[code]);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const uint64_t milliseconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
  int provided = 0;
  int rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_cq_handle_t queue;
  uint32_t address = 0;
  const uint8_t ptag = (uint8_t)atoi(getenv("PMI_GNI_PTAG"));
  const uint32_t cookie = (uint32_t)strtoul(getenv("PMI_GNI_COOKIE"), NULL, 10);
  check(GNI_CdmCreate(0x200000u + (uint32_t)rank, ptag, cookie, 0, &domain), GNI_RC_SUCCESS,
        "GNI_CdmCreate");
  check(GNI_CdmAttach(domain, 0, &address, &nic), GNI_RC_SUCCESS, "GNI_CdmAttach");
  check(GNI_CqCreate(nic, 64, 0, GNI_CQ_BLOCKING, NULL, NULL, &queue), GNI_RC_SUCCESS,
        "GNI_CqCreate");
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = microseconds_used();
  gni_cq_entry_t event = 0;
  check(GNI_CqWaitEvent(queue, milliseconds, &event), GNI_RC_TIMEOUT, "GNI_CqWaitEvent");
  const long used = microseconds_used() - before;
  printf("rank %d thread level %d used %ld us\n", rank, provided, used);
  MPI_Barrier(MPI_COMM_WORLD);
  GNI_CdmDestroy(domain);
  MPI_Finalize();
  return 0;
}
