/* ARMCI's functions under their profiling names (part of armci.h). */
/*
 * Each does what the one without the P does, whose symbol is weak: a tool may define ARMCI_x and
 * call PARMCI_x.
 */
#pragma once

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CASTOR_ARMCI_CLASSIC
void PARMCI_Finalize(void);
#else
int PARMCI_Finalize(void);
#endif
int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Init_thread(int requested);
int PARMCI_Init_thread_comm(int requested, MPI_Comm comm);
int PARMCI_Malloc(void* ptr_arr[], armci_size_t bytes);
int PARMCI_Free(void* ptr);
int PARMCI_Malloc_group(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Free_group(void* ptr, ARMCI_Group* group);
void* PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void* ptr);
int PARMCI_Malloc_memdev(void* ptr_arr[], armci_size_t bytes, const char* device);
int PARMCI_Malloc_group_memdev(void* ptr_arr[], armci_size_t bytes, ARMCI_Group* group,
                               const char* device);
int PARMCI_Free_memdev(void* ptr);
void PARMCI_Memget(size_t bytes, armci_meminfo_t* info, int flags);
void* PARMCI_Memat(armci_meminfo_t* info, long offset);
void PARMCI_Memdt(armci_meminfo_t* info, long offset);
void PARMCI_Memctl(armci_meminfo_t* info);
int PARMCI_Put(void* src, void* dst, int bytes, int proc);
int PARMCI_Get(void* src, void* dst, int bytes, int proc);
int PARMCI_Acc(int type, void* scale, void* src, void* dst, int bytes, int proc);
int PARMCI_PutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                int proc);
int PARMCI_GetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                int proc);
int PARMCI_AccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                int* count, int levels, int proc);
int PARMCI_PutV(armci_giov_t* lists, int n, int proc) CASTOR_ARMCI_SYMBOL(PARMCI_PutV);
int PARMCI_GetV(armci_giov_t* lists, int n, int proc) CASTOR_ARMCI_SYMBOL(PARMCI_GetV);
int PARMCI_AccV(int type, void* scale, armci_giov_t* lists, int n, int proc)
    CASTOR_ARMCI_SYMBOL(PARMCI_AccV);
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int PARMCI_PutS_flag(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                     int* flag, int value, int proc);
int PARMCI_PutS_flag_dir(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int levels, int* flag, int value, int proc);
int PARMCI_PutValueInt(int value, void* dst, int proc);
int PARMCI_PutValueLong(long value, void* dst, int proc);
int PARMCI_PutValueFloat(float value, void* dst, int proc);
int PARMCI_PutValueDouble(double value, void* dst, int proc);
int PARMCI_GetValueInt(void* src, int proc);
long PARMCI_GetValueLong(void* src, int proc);
float PARMCI_GetValueFloat(void* src, int proc);
double PARMCI_GetValueDouble(void* src, int proc);
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbAcc(int type, void* scale, void* src, void* dst, int bytes, int proc,
                 armci_hdl_t* handle);
int PARMCI_NbPutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbGetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbAccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                  int* count, int levels, int proc, armci_hdl_t* handle);
int PARMCI_NbPutV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(PARMCI_NbPutV);
int PARMCI_NbGetV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(PARMCI_NbGetV);
int PARMCI_NbAccV(int type, void* scale, armci_giov_t* lists, int n, int proc, armci_hdl_t* handle)
    CASTOR_ARMCI_SYMBOL(PARMCI_NbAccV);
int PARMCI_NbPutValueInt(int value, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueLong(long value, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueFloat(float value, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueDouble(double value, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_Wait(armci_hdl_t* handle);
int PARMCI_Test(armci_hdl_t* handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
int PARMCI_Rmw(int op, void* ploc, void* prem, int extra, int proc);
int PARMCI_Create_mutexes(int num);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Barrier(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
