// What went wrong on a rank, and how all ranks come to know of it.
#pragma once

#include <mpi.h>
#include <stdbool.h>

/// Code 0: nothing.
typedef struct {
  int code;
  char what[512];
} gm_failure;

/// Keeps what is said first. Returns the failure's code.
int gm_fail(gm_failure* failure, int code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// The same of an MPI call that has returned `result`, if that is an error. True: it is none.
bool gm_mpi_worked(gm_failure* failure, const char* call, int result);

/// Of a failure on any rank of `comm` all ranks return the code: that of the lowest one, which
/// says what it is.
int gm_agree(MPI_Comm comm, const gm_failure* failure);

/// Refuses a call that all ranks have made wrongly: one says so. Returns GEMINI_ERR_ARG.
int gm_refuse(MPI_Comm comm, const char* what);
