/* A check that is compiled in ARMCI's classic dialect. */
#define CASTOR_ARMCI_CLASSIC
#include "tests/armci/classic.h"

#include "armci/include/message.h"

const char* classic_dialect_check(int rank) {
  void* all[3];
  double own[4] = {1, 2, 3, 4};
  double scale = 2;
  int next = (rank + 1) % 3;
  void* sources[2];
  void* targets[2];
  armci_giov_t list;
  armci_hdl_t handle;
  ARMCI_Group group;
  int members[2] = {0, 2};
  int size = -1;
  int sum = rank;
  long counter = -1;
  if (ARMCI_Malloc(all, 64) != 0) return "ARMCI_Malloc";
  ((double*)all[rank])[0] = ((double*)all[rank])[3] = 0;
  ((long*)all[rank])[5] = 0;
  ARMCI_Barrier();
  sources[0] = &own[0];
  sources[1] = &own[3];
  targets[0] = (double*)all[next];
  targets[1] = (double*)all[next] + 3;
  list.src_ptr_array = sources;
  list.dst_ptr_array = targets;
  list.ptr_array_len = 2;
  list.bytes = 8;
  if (ARMCI_PutV(&list, 1, next) != 0) return "ARMCI_PutV";
  ARMCI_INIT_HANDLE(&handle);
  if (ARMCI_NbAccV(ARMCI_ACC_DBL, &scale, &list, 1, next, &handle) != 0) return "ARMCI_NbAccV";
  if (ARMCI_Wait(&handle) != 0) return "ARMCI_Wait";
  if (ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &counter, (long*)all[0] + 5, 1, 0) != 0)
    return "ARMCI_Rmw";
  ARMCI_Barrier();
  if (((double*)all[rank])[0] != 3 || ((double*)all[rank])[3] != 12) return "what came";
  if (rank == 0 && ((long*)all[0])[5] != 3) return "the counter";
  armci_msg_gop_scope(SCOPE_ALL, &sum, 1, "+", ARMCI_INT);
  if (sum != 3) return "armci_msg_gop_scope";
  ARMCI_Group_create(2, members, &group);
  ARMCI_Group_size(&group, &size);
  if (size != (rank == 1 ? 0 : 2)) return "ARMCI_Group_size";
  if (rank != 1) ARMCI_Group_free(&group);
  if (FAIL5 != ARMCI_Put(own, all[0], 8, 9)) return "FAIL5";
  if (ARMCI_Free(all[rank]) != 0) return "ARMCI_Free";
  return 0;
}
