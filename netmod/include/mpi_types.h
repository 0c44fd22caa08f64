/* Types, handles and callbacks of the MPI interface, in the MPICH ABI (part of mpi.h). */
#ifndef CASTOR_MPI_TYPES_H
#define CASTOR_MPI_TYPES_H

/*
 * Handles are integers. Bits 30-31 say where an object lives (1 = predefined, 2 = made by a call),
 * bits 26-29 what it is (1 communicator, 2 group, 3 datatype, 5 error handler, 6 operation,
 * 7 info, 8 window, 9 key value, 11 request), the rest is a number. Predefined handles are
 * constants of the MPICH ABI (3.1 to 4.0), so that programs built for it run unchanged.
 */
typedef int MPI_Comm;
typedef int MPI_Group;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Message;
typedef int MPI_Errhandler;
typedef int MPI_Info;
typedef int MPI_Win;
typedef struct MPI_File_object* MPI_File; /* declared only: there is no MPI-IO yet */

typedef long MPI_Aint;   /* an address, or a distance between addresses, in bytes */
typedef long MPI_Count;  /* a number of elements or bytes */
typedef long MPI_Offset; /* a position in a file */
typedef int MPI_Fint;    /* a Fortran INTEGER */

/* What became of a message. The public fields are the three named MPI_*. */
typedef struct MPI_Status {
  int count_lo;               /* bytes received, low 32 bits */
  int count_hi_and_cancelled; /* bit 0: cancelled; bits 1-31: bytes received, high bits */
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
} MPI_Status;

/* in, inout (inout = in op inout), element count, datatype */
typedef void(MPI_User_function)(void*, void*, int*, MPI_Datatype*);

/* object, error code, implementation's extras (none here) */
typedef void(MPI_Handler_function)(MPI_Comm*, int*, ...);
typedef void(MPI_Comm_errhandler_function)(MPI_Comm*, int*, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win*, int*, ...);
typedef void(MPI_File_errhandler_function)(MPI_File*, int*, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;

/* copy: old object, key, extra state, value, place for the new value, flag "copied";
   delete: object, key, value, extra state. Both return MPI_SUCCESS or an error code. */
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int, void*, void*, void*, int*);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int, void*, void*);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype, int, void*, void*, void*, int*);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype, int, void*, void*);
typedef int(MPI_Win_copy_attr_function)(MPI_Win, int, void*, void*, void*, int*);
typedef int(MPI_Win_delete_attr_function)(MPI_Win, int, void*, void*);
typedef int(MPI_Copy_function)(MPI_Comm, int, void*, void*, void*, int*);
typedef int(MPI_Delete_function)(MPI_Comm, int, void*, void*);

typedef int(MPI_Grequest_query_function)(void*, MPI_Status*);
typedef int(MPI_Grequest_free_function)(void*);
typedef int(MPI_Grequest_cancel_function)(void*, int);

/* Handles are the same integers in Fortran. */
#define MPI_Comm_c2f(comm) ((MPI_Fint)(comm))
#define MPI_Comm_f2c(comm) ((MPI_Comm)(comm))
#define MPI_Group_c2f(group) ((MPI_Fint)(group))
#define MPI_Group_f2c(group) ((MPI_Group)(group))
#define MPI_Type_c2f(datatype) ((MPI_Fint)(datatype))
#define MPI_Type_f2c(datatype) ((MPI_Datatype)(datatype))
#define MPI_Op_c2f(op) ((MPI_Fint)(op))
#define MPI_Op_f2c(op) ((MPI_Op)(op))
#define MPI_Request_c2f(request) ((MPI_Fint)(request))
#define MPI_Request_f2c(request) ((MPI_Request)(request))
#define MPI_Errhandler_c2f(handler) ((MPI_Fint)(handler))
#define MPI_Errhandler_f2c(handler) ((MPI_Errhandler)(handler))
#define MPI_Info_c2f(info) ((MPI_Fint)(info))
#define MPI_Info_f2c(info) ((MPI_Info)(info))
#define MPI_Win_c2f(window) ((MPI_Fint)(window))
#define MPI_Win_f2c(window) ((MPI_Win)(window))

#endif
