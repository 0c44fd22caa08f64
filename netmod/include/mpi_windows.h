/* Windows and one-sided communication (part of mpi.h). */
#ifndef CASTOR_MPI_WINDOWS_H
#define CASTOR_MPI_WINDOWS_H

#include "mpi_constants.h"
#include "mpi_declaration.h"
#include "mpi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names as in mpi_functions.h. Errors go to the window's error handler (at first
 * MPI_ERRORS_ARE_FATAL). In addition: MPI_ERR_WIN (not a window), MPI_ERR_RMA_SYNC (a call outside
 * the epoch that it needs, or that an open epoch forbids), MPI_ERR_ASSERT (an assertion that the
 * call does not know), MPI_ERR_RMA_RANGE (memory outside the window, or not attached),
 * MPI_ERR_RMA_FLAVOR (not this kind of window), MPI_ERR_BUFFER (the NIC finds that the caller's
 * memory is not there, or must not be written; where the CPU reads or writes it, that is a
 * segmentation fault). Sizes are bytes, displacements multiples of the target's displacement unit.
 * Memory is unified (MPI_WIN_UNIFIED): there are no private copies.
 */

/* Making windows. Collective; the communicator has one group (MPI_ERR_COMM). MPI_ERR_SIZE and
   MPI_ERR_DISP: a negative size, a displacement unit below 1. -----------------------------------
 */

/* Over the caller's memory (MPI_ERR_BASE: none, though there are bytes). */
CASTOR_MPI(int, Win_create,
           (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win))
/* *(void **)baseptr is the memory, which goes with the window. */
CASTOR_MPI(int, Win_allocate,
           (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
            MPI_Win* win))
/* Memory that all ranks of the communicator load from and store to; all are on one node
   (MPI_ERR_RMA_SHARED). Parts follow each other in the order of ranks, without gaps unless the hint
   alloc_shared_noncontig is true. */
CASTOR_MPI(int, Win_allocate_shared,
           (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
            MPI_Win* win))
/* A rank's part of such a window as the caller sees it; of MPI_PROC_NULL: the first that has one
   byte or more. */
CASTOR_MPI(int, Win_shared_query,
           (MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr))
/* Without memory: it is attached later, by each rank alone. Displacements are addresses, as
   MPI_Get_address gives them at the target. */
CASTOR_MPI(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win))
/* MPI_ERR_RMA_ATTACH: attached already. */
CASTOR_MPI(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size))
/* MPI_ERR_BASE: nothing is attached there. */
CASTOR_MPI(int, Win_detach, (MPI_Win win, const void* base))
/* Collective; no epoch is open (MPI_ERR_RMA_SYNC). */
CASTOR_MPI(int, Win_free, (MPI_Win * win))

/* What a window is ----------------------------------------------------------------------------- */

CASTOR_MPI(int, Win_get_group, (MPI_Win win, MPI_Group* group))
CASTOR_MPI(int, Win_set_name, (MPI_Win win, const char* win_name))
CASTOR_MPI(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen))
/* Hints that are known: no_locks, accumulate_ordering, accumulate_ops, same_size, same_disp_unit,
   alloc_shared_noncontig. */
CASTOR_MPI(int, Win_set_info, (MPI_Win win, MPI_Info info))
CASTOR_MPI(int, Win_get_info, (MPI_Win win, MPI_Info* info_used))
/* Predefined: MPI_WIN_BASE (the address), MPI_WIN_SIZE (MPI_Aint*), MPI_WIN_DISP_UNIT,
   MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL (int*). */
CASTOR_MPI(int, Win_create_keyval,
           (MPI_Win_copy_attr_function * copy, MPI_Win_delete_attr_function* erase, int* keyval,
            void* extra_state))
CASTOR_MPI(int, Win_free_keyval, (int* keyval))
CASTOR_MPI(int, Win_get_attr, (MPI_Win win, int keyval, void* value, int* flag))
CASTOR_MPI(int, Win_set_attr, (MPI_Win win, int keyval, void* value))
CASTOR_MPI(int, Win_delete_attr, (MPI_Win win, int keyval))
CASTOR_MPI(int, Win_create_errhandler,
           (MPI_Win_errhandler_function * function, MPI_Errhandler* errhandler))
CASTOR_MPI(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler))
CASTOR_MPI(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler))
CASTOR_MPI(int, Win_call_errhandler, (MPI_Win win, int errorcode))

/* Transfers. They go on after the call until the epoch ends or is flushed, without the target's
   help. Both sides describe the same number of bytes (MPI_ERR_TYPE); nothing happens with
   MPI_PROC_NULL. The r forms make a request and need an epoch of MPI_Win_lock or
   MPI_Win_lock_all. ---------------------------------------------------------------------------- */

CASTOR_MPI(int, Put,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Win win))
CASTOR_MPI(int, Get,
           (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win))
CASTOR_MPI(int, Rput,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Win win, MPI_Request* request))
CASTOR_MPI(int, Rget,
           (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
            MPI_Request* request))
/* Atomic for each element, in the order of the calls of one origin. Predefined operations only
   (MPI_ERR_OP), MPI_REPLACE among them, MPI_NO_OP for those that fetch; target elements of one
   predefined type (MPI_ERR_TYPE). */
CASTOR_MPI(int, Accumulate,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Op op, MPI_Win win))
CASTOR_MPI(int, Raccumulate,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Op op, MPI_Win win, MPI_Request* request))
CASTOR_MPI(int, Get_accumulate,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
            MPI_Win win))
CASTOR_MPI(int, Rget_accumulate,
           (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
            MPI_Win win, MPI_Request* request))
CASTOR_MPI(int, Fetch_and_op,
           (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
            MPI_Aint target_disp, MPI_Op op, MPI_Win win))
/* Integers, logicals and bytes. */
CASTOR_MPI(int, Compare_and_swap,
           (const void* origin_addr, const void* compare_addr, void* result_addr,
            MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win))

/* Epochs. assert: MPI_MODE_* or 0 ------------------------------------------------------------- */

CASTOR_MPI(int, Win_fence, (int assert, MPI_Win win))
CASTOR_MPI(int, Win_start, (MPI_Group group, int assert, MPI_Win win))
CASTOR_MPI(int, Win_complete, (MPI_Win win))
CASTOR_MPI(int, Win_post, (MPI_Group group, int assert, MPI_Win win))
CASTOR_MPI(int, Win_wait, (MPI_Win win))
CASTOR_MPI(int, Win_test, (MPI_Win win, int* flag))
/* MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE (MPI_ERR_LOCKTYPE). Locks are got in the order of asking.
 */
CASTOR_MPI(int, Win_lock, (int lock_type, int rank, int assert, MPI_Win win))
CASTOR_MPI(int, Win_unlock, (int rank, MPI_Win win))
CASTOR_MPI(int, Win_lock_all, (int assert, MPI_Win win))
CASTOR_MPI(int, Win_unlock_all, (MPI_Win win))
/* What has been started is complete: at the target, or (local) as far as the caller's buffers
   go. */
CASTOR_MPI(int, Win_flush, (int rank, MPI_Win win))
CASTOR_MPI(int, Win_flush_all, (MPI_Win win))
CASTOR_MPI(int, Win_flush_local, (int rank, MPI_Win win))
CASTOR_MPI(int, Win_flush_local_all, (MPI_Win win))
/* Loads and stores before it are done before those after it. */
CASTOR_MPI(int, Win_sync, (MPI_Win win))

#ifdef __cplusplus
}
#endif

#endif
