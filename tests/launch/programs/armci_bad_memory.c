/* Rank 1 gives an ARMCI function memory of its own that is not there: FORM BYTES TO. */
#include <armci.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { most_bytes = 1 << 22, most_ranks = 16 };

/* Pages that nobody may touch, and which nothing else can be given. */
static char* nobodys(void) {
  return mmap(NULL, 2 * most_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void transfer(const char* form, int bytes, char* there, int to) {
  char* own = nobodys();
  const int get = strstr(form, "get") != NULL;
  double one = 1;
  int stride[] = {2 * bytes};
  int count[] = {bytes, 4};
  void* own_runs[] = {own, own + 2 * bytes};
  void* their_runs[] = {there, there + 2 * bytes};
  armci_giov_t list;
  armci_hdl_t handle;
  memset(&list, 0, sizeof list);
  ARMCI_INIT_HANDLE(&handle);
  list.src_ptr_array = get ? their_runs : own_runs;
  list.dst_ptr_array = get ? own_runs : their_runs;
  list.bytes = bytes;
  list.ptr_array_len = 2;
  if (strcmp(form, "put") == 0) ARMCI_Put(own, there, bytes, to);
  if (strcmp(form, "get") == 0) ARMCI_Get(there, own, bytes, to);
  if (strcmp(form, "acc") == 0) ARMCI_Acc(ARMCI_ACC_DBL, &one, own, there, bytes, to);
  if (strcmp(form, "put_strided") == 0) ARMCI_PutS(own, stride, there, stride, count, 1, to);
  if (strcmp(form, "get_strided") == 0) ARMCI_GetS(there, stride, own, stride, count, 1, to);
  if (strcmp(form, "acc_strided") == 0) {
    ARMCI_AccS(ARMCI_ACC_DBL, &one, own, stride, there, stride, count, 1, to);
  }
  if (strcmp(form, "put_list") == 0) ARMCI_PutV(&list, 1, to);
  if (strcmp(form, "get_list") == 0) ARMCI_GetV(&list, 1, to);
  if (strcmp(form, "acc_list") == 0) ARMCI_AccV(ARMCI_ACC_DBL, &one, &list, 1, to);
  if (strcmp(form, "put_later") == 0) ARMCI_NbPut(own, there, bytes, to, &handle);
  if (strcmp(form, "get_later") == 0) ARMCI_NbGet(there, own, bytes, to, &handle);
  if (strcmp(form, "word") == 0) ARMCI_Rmw(ARMCI_FETCH_AND_ADD, own, there, 1, to);
  ARMCI_Wait(&handle);
}

int main(int argc, char** argv) {
  int rank = 0;
  void* memory[most_ranks];
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 4 || ARMCI_Malloc(memory, most_bytes) != 0) return 1;
  ARMCI_Barrier();
  const int to = atoi(argv[3]);
  if (rank == 1) transfer(argv[1], atoi(argv[2]), memory[to], to);
  ARMCI_Barrier();
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
