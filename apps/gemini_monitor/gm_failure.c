// What went wrong on a rank, and how all ranks come to know of it.
#include "apps/gemini_monitor/gm_failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "apps/gemini_monitor/gemini_monitor.h"

static void say(const char* what) { fprintf(stderr, "gemini monitor: %s\n", what); }

int gm_fail(gm_failure* failure, int code, const char* format, ...) {
  if (failure->code == GEMINI_SUCCESS) {
    failure->code = code;
    va_list values;
    va_start(values, format);
    vsnprintf(failure->what, sizeof failure->what, format, values);
    va_end(values);
  }
  return failure->code;
}

bool gm_mpi_worked(gm_failure* failure, const char* call, int result) {
  if (result == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(result, text, &length);
  gm_fail(failure, GEMINI_ERR_MPI, "%s: %.400s", call, text);
  return false;
}

int gm_agree(MPI_Comm comm, const gm_failure* failure) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int own[2] = {failure->code == GEMINI_SUCCESS ? ranks : rank, failure->code};
  int first[2] = {0, 0};
  gm_failure broken = {.code = GEMINI_SUCCESS};
  if (!gm_mpi_worked(&broken, "MPI_Allreduce",
                     MPI_Allreduce(own, first, 1, MPI_2INT, MPI_MINLOC, comm))) {
    say(broken.what);
    return broken.code;
  }
  if (first[0] == ranks) return GEMINI_SUCCESS;
  if (first[0] == rank) say(failure->what);
  return first[1];
}

int gm_refuse(MPI_Comm comm, const char* what) {
  int rank = 0;
  MPI_Comm_rank(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, &rank);
  if (rank == 0) say(what);
  return GEMINI_ERR_ARG;
}
