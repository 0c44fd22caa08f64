// The variables by whose addresses Fortran programs mark arguments, and what C has in their place.
#pragma once

#include "netmod/include/mpi.h"

extern "C" {

// Common blocks of mpif.h, named and laid out as MPICH has them (the ABI). A program that names one
// has it; the dynamic linker makes the library see the program's. The library is loaded with the
// program, so these are the calling rank's own.
struct FortranMarks {
  int bottom;
  int in_place;
  int status_ignore[5];
};
struct FortranLists {
  int statuses_ignore[5];
  int errcodes_ignore;
};
extern const FortranMarks mpipriv1_;
extern const FortranLists mpipriv2_;
extern const int mpifcmb5_;  // MPI_UNWEIGHTED
extern const int mpifcmb9_;  // MPI_WEIGHTS_EMPTY

}  // extern "C"

namespace netmod::fortran {

/// A buffer, or MPI_BOTTOM or MPI_IN_PLACE.
inline void* buffer(void* given) {
  if (given == &mpipriv1_.bottom) return MPI_BOTTOM;
  if (given == &mpipriv1_.in_place) return MPI_IN_PLACE;
  return given;
}

/// One status or several, or MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE: the same value in C.
inline MPI_Status* statuses(int* given) {
  if (given == mpipriv1_.status_ignore || given == mpipriv2_.statuses_ignore) {
    return MPI_STATUS_IGNORE;
  }
  return reinterpret_cast<MPI_Status*>(given);
}

/// One integer or several, or MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY.
inline int* integers(int* given) {
  if (given == &mpifcmb5_) return MPI_UNWEIGHTED;
  if (given == &mpifcmb9_) return MPI_WEIGHTS_EMPTY;
  return given;
}

}  // namespace netmod::fortran
