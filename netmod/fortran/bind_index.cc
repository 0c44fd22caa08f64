// Fortran's names: completion of some of several requests, whose indices begin with 1.
#include "netmod/fortran/binding.h"

using netmod::fortran::statuses;

namespace {

int from_one(int index) { return index == MPI_UNDEFINED ? index : index + 1; }

/// After MPI_Waitsome or MPI_Testsome. (MPI_ERR_IN_STATUS: the indices are there.)
void number_from_one(int code, int count, int* indices) {
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return;
  for (int i = 0; i < count; ++i) ++indices[i];  // nothing, if MPI_UNDEFINED
}

}  // namespace

extern "C" {

void pmpi_waitany_(const int* count, int* requests, int* index, int* status, int* ierror) {
  int found = MPI_UNDEFINED;
  *ierror = MPI_Waitany(*count, requests, &found, statuses(status));
  *index = from_one(found);
}
void pmpi_testany_(const int* count, int* requests, int* index, int* flag, int* status,
                   int* ierror) {
  int found = MPI_UNDEFINED;
  *ierror = MPI_Testany(*count, requests, &found, flag, statuses(status));
  *index = from_one(found);
}
void pmpi_waitsome_(const int* incount, int* requests, int* outcount, int* indices, int* status,
                    int* ierror) {
  *ierror = MPI_Waitsome(*incount, requests, outcount, indices, statuses(status));
  number_from_one(*ierror, *outcount, indices);
}
void pmpi_testsome_(const int* incount, int* requests, int* outcount, int* indices, int* status,
                    int* ierror) {
  *ierror = MPI_Testsome(*incount, requests, outcount, indices, statuses(status));
  number_from_one(*ierror, *outcount, indices);
}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(waitany);
CASTOR_FORTRAN_PUBLISH(testany);
CASTOR_FORTRAN_PUBLISH(waitsome);
CASTOR_FORTRAN_PUBLISH(testsome);
