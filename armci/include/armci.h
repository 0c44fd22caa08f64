/* ARMCI, the aggregate remote memory copy interface: the public header. */
/*
 * Programs in two dialects compile against it, chosen when compiling:
 *   (default)                  ARMCI-MPI 0.3.1's, which Debian's Global Arrays were built with
 *   -DCASTOR_ARMCI_CLASSIC     the classic header's (and ComEx's)
 * They differ in constants, in the layout of armci_giov_t, armci_hdl_t and ARMCI_Group, and in what
 * ARMCI_Finalize returns. Link with -larmci -lmpi. C and C++.
 *
 * Ranks are those of MPI_COMM_WORLD ("proc"), in groups' functions those of the group where it is
 * said. Remote addresses are the owner's: what ARMCI_Malloc gave, or anywhere in there; local ones
 * may be any memory. Strides and counts: count[0] is the bytes of a contiguous run, count[i] how
 * many there are at level i, stride[i-1] the bytes between them; levels 0 to 8, 0 being contiguous.
 *
 * Functions that transfer return 0, or: FAIL (-1) a null base (in a list, too) or bad n; FAIL2 a
 * null array; FAIL3 negative bytes, more than 2^48, or not whole (read-modify-write: aligned)
 * elements; FAIL4 bad levels or lengths; FAIL5 no such proc; FAIL6 the target refused (memory that
 * is not ARMCI's). With an error nothing has been transferred. Local memory that is not there, or
 * that a get must not write, ends the job with one line.
 *
 * Blocking puts and accumulates return when the source may be reused, gets when the data are here.
 * What one rank does to another's memory takes effect in the order of the calls as far as
 * overlapping places show, non-blocking ones apart. Fences wait until puts and accumulates are
 * visible. A target that computes, or waits in MPI, does not hold another rank up.
 */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;
typedef int armci_domain_t;

#ifdef CASTOR_ARMCI_CLASSIC

typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int ptr_array_len;
  int bytes;
} armci_giov_t;
typedef struct {
  int data[4];
  double dummy[72];
} armci_hdl_t;
typedef int ARMCI_Group;

enum { ARMCI_SWAP = 10, ARMCI_SWAP_LONG, ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG };
enum {
  ARMCI_ACC_INT = 37,
  ARMCI_ACC_DBL = 38,
  ARMCI_ACC_FLT = 39,
  ARMCI_ACC_CPL = 40,
  ARMCI_ACC_DCP = 41,
  ARMCI_ACC_LNG = 42,
  ARMCI_ACC_RA = 43
};
#define ARMCI_MAX_STRIDE_LEVEL 8
#define ARMCI_DOMAIN_SMP 0
#define FAIL (-1)
#define FAIL2 (-2)
#define FAIL3 (-3)
#define FAIL4 (-4)
#define FAIL5 (-5)
#define FAIL6 (-6)
#define FAIL7 (-7)
#define FAIL8 (-8)
/* Functions whose arguments look different in this dialect have a symbol of their own. */
#define CASTOR_ARMCI_SYMBOL(name) __asm__(#name "_classic")

#else

typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;
  int ptr_array_len;
} armci_giov_t;
typedef struct {
  int target;
  int aggregate;
} armci_hdl_t;
typedef struct {
  MPI_Comm comm;
  MPI_Comm noncoll_pgroup_comm;
  int* grp_to_abs;
  int* abs_to_grp;
  int rank;
  int size;
} ARMCI_Group;

enum { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };
enum { ARMCI_ACC_INT, ARMCI_ACC_LNG, ARMCI_ACC_FLT, ARMCI_ACC_DBL, ARMCI_ACC_CPL, ARMCI_ACC_DCP };
enum { ARMCI_DOMAIN_SMP = 0 };
#define CASTOR_ARMCI_SYMBOL(name)

#endif

/* What ARMCI_Memget gives: memory that others reach without a collective call. */
typedef struct {
  char* armci_addr;
  char* addr;
  size_t size;
  int cpid;
  long idlist[128];
} armci_meminfo_t;

/* ---- Start, end, errors ---- */

/* After MPI_Init; collective. May be repeated, and ARMCI_Finalize then as often; MPI_Finalize makes
 * up for those that are missing. */
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
int ARMCI_Init_mpi_comm(MPI_Comm comm); /* of all ranks, in MPI_COMM_WORLD's order */
int ARMCI_Init_thread(int requested);
int ARMCI_Init_thread_comm(int requested, MPI_Comm comm);
int ARMCI_Initialized(void);
#ifdef CASTOR_ARMCI_CLASSIC
void ARMCI_Finalize(void);
#else
int ARMCI_Finalize(void);
#endif
/* Frees what the system keeps (here: nothing that outlives the job). */
void ARMCI_Cleanup(void);
/* One line with message, code and rank on standard error; ends the job. */
void ARMCI_Error(const char* message, int code);

/* ---- Memory ---- */

/* Collective. `bytes` may differ, and be 0 (address null). ptr_arr[i] is rank i's (of the group).
 * FAIL6 on all, and nothing given, if one rank has not that much memory. */
int ARMCI_Malloc(void* ptr_arr[], armci_size_t bytes);
/* Collective: each rank its own address, null where it had 0 bytes. */
int ARMCI_Free(void* ptr);
int ARMCI_Malloc_group(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group);
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
/* Local memory that is good for transfers; null if there is not as much. */
void* ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void* ptr);
/* The same; there is one kind of memory. */
int ARMCI_Malloc_memdev(void* ptr_arr[], armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
int ARMCI_Free_memdev(void* ptr);
/* Not collective: gives memory and a description to be sent to others, which turn it into a remote
 * address; addr is null if there is not as much. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t* info, int flags);
void* ARMCI_Memat(armci_meminfo_t* info, long offset);
void ARMCI_Memdt(armci_meminfo_t* info, long offset);
void ARMCI_Memctl(armci_meminfo_t* info);
/* 0: ranks of a node go through ARMCI too. */
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
void ARMCI_Set_shm_limit(unsigned long bytes);
void ARMCI_Copy(void* src, void* dst, int bytes);
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);

/* ---- Transfers: put and accumulate from local src to remote dst, get from remote src ---- */

int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);
/* dst[i] += scale * src[i], each element atomically with respect to other accumulates; `bytes` a
 * multiple of the element's. */
int ARMCI_Acc(int type, void* scale, void* src, void* dst, int bytes, int proc);
int ARMCI_PutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
               int proc);
int ARMCI_GetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
               int proc);
int ARMCI_AccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
               int* count, int levels, int proc);
/* `n` lists of pairs of addresses. */
int ARMCI_PutV(armci_giov_t* lists, int n, int proc) CASTOR_ARMCI_SYMBOL(ARMCI_PutV);
int ARMCI_GetV(armci_giov_t* lists, int n, int proc) CASTOR_ARMCI_SYMBOL(ARMCI_GetV);
int ARMCI_AccV(int type, void* scale, armci_giov_t* lists, int n, int proc)
    CASTOR_ARMCI_SYMBOL(ARMCI_AccV);
/* The data, and then `value` in *flag: a rank that sees the flag sees the data. */
int ARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int ARMCI_PutS_flag(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                    int* flag, int value, int proc);
int ARMCI_PutS_flag_dir(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                        int levels, int* flag, int value, int proc);
int ARMCI_PutValueInt(int value, void* dst, int proc);
int ARMCI_PutValueLong(long value, void* dst, int proc);
int ARMCI_PutValueFloat(float value, void* dst, int proc);
int ARMCI_PutValueDouble(double value, void* dst, int proc);
int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* ---- Non-blocking: a null handle is completed by ARMCI_WaitProc, ARMCI_WaitAll or a fence ---- */

void ARMCI_INIT_HANDLE(armci_hdl_t* handle);
/* Operations of one kind to one target that may travel together; nothing is promised before
 * ARMCI_Wait, and data must stay as they are until then. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbAcc(int type, void* scale, void* src, void* dst, int bytes, int proc,
                armci_hdl_t* handle);
int ARMCI_NbPutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                 int proc, armci_hdl_t* handle);
int ARMCI_NbGetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                 int proc, armci_hdl_t* handle);
int ARMCI_NbAccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                 int* count, int levels, int proc, armci_hdl_t* handle);
int ARMCI_NbPutV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(ARMCI_NbPutV);
int ARMCI_NbGetV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(ARMCI_NbGetV);
int ARMCI_NbAccV(int type, void* scale, armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(ARMCI_NbAccV);
int ARMCI_NbPutValueInt(int value, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueLong(long value, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueFloat(float value, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueDouble(double value, void* dst, int proc, armci_hdl_t* handle);
/* A put or accumulate: the source may be reused. A get: the data are here. */
int ARMCI_Wait(armci_hdl_t* handle);
/* 0 if complete. */
int ARMCI_Test(armci_hdl_t* handle);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* ---- Atomics and mutexes ---- */

/* ARMCI_FETCH_AND_ADD(_LONG): the int (long) at prem to ploc, and `extra` added to it.
 * ARMCI_SWAP(_LONG): both exchanged. */
int ARMCI_Rmw(int op, void* ploc, void* prem, int extra, int proc);
/* Collective; `num` of the caller's own, which may be 0. One set at a time. */
int ARMCI_Create_mutexes(int num);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* ---- Completion and order ---- */

void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
/* All fences of all ranks, and a barrier. */
void ARMCI_Barrier(void);
void ARMCI_GroupFence(ARMCI_Group* group);
/* Tells `proc` that what was put there before is there: how many times this rank has told it. */
int armci_notify(int proc);
/* Waits for the next such word from `proc`: how many have come; *waited is how many have been
 * waited for. */
int armci_notify_wait(int proc, int* waited);

/* ---- Groups and nodes ---- */

/* Of ranks of the default group (of `parent`), each once; collective over that. Others than its
 * members get one with rank -1 and size 0. */
void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group)
    CASTOR_ARMCI_SYMBOL(ARMCI_Group_create);
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group, ARMCI_Group* parent)
    CASTOR_ARMCI_SYMBOL(ARMCI_Group_create_child);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group) CASTOR_ARMCI_SYMBOL(ARMCI_Group_get_default);
void ARMCI_Group_get_world(ARMCI_Group* group) CASTOR_ARMCI_SYMBOL(ARMCI_Group_get_world);
/* The world's rank of a group's. */
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);
MPI_Comm armci_group_comm(ARMCI_Group* group);

/* The one domain is the node (ARMCI_DOMAIN_SMP); id -1 is the caller's. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int world_rank);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_rank);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int armci_sameclusnode(int proc);

/* Packs a strided patch into contiguous memory, and unpacks it. */
void armci_write_strided(void* src, int levels, int* stride, int* count, char* packed);
void armci_read_strided(void* dst, int levels, int* stride, int* count, char* packed);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "parmci.h"
