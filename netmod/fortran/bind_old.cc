// Fortran's names: MPI-1's functions of datatypes, whose addresses are plain integers.
#include <climits>
#include <vector>

#include "netmod/fortran/binding.h"
#include "netmod/mpi/calls/language.h"

using netmod::fortran::buffer;

namespace {

/// Gives an address or a distance to the program if an INTEGER can hold it.
int narrow(const char* function, int code, MPI_Aint value, int* to) {
  if (code != MPI_SUCCESS) return code;
  if (value < INT_MIN || value > INT_MAX) {
    return MPIR_Report_error(function, MPI_ERR_ARG,
                             "an INTEGER cannot hold the result: use the function of MPI-2 with "
                             "INTEGER(KIND=MPI_ADDRESS_KIND)");
  }
  *to = static_cast<int>(value);
  return MPI_SUCCESS;
}

std::vector<MPI_Aint> widen(const int* values, int count) {
  return count > 0 ? std::vector<MPI_Aint>(values, values + count) : std::vector<MPI_Aint>();
}

}  // namespace

extern "C" {

void pmpi_address_(void* location, int* address, int* ierror) {
  MPI_Aint value = 0;
  const int code = MPI_Get_address(buffer(location), &value);
  *ierror = narrow("MPI_Address", code, value, address);
}
void pmpi_type_extent_(const int* datatype, int* extent, int* ierror) {
  MPI_Aint value = 0;
  const int code = MPI_Type_extent(*datatype, &value);
  *ierror = narrow("MPI_Type_extent", code, value, extent);
}
void pmpi_type_lb_(const int* datatype, int* displacement, int* ierror) {
  MPI_Aint value = 0;
  const int code = MPI_Type_lb(*datatype, &value);
  *ierror = narrow("MPI_Type_lb", code, value, displacement);
}
void pmpi_type_ub_(const int* datatype, int* displacement, int* ierror) {
  MPI_Aint value = 0;
  const int code = MPI_Type_ub(*datatype, &value);
  *ierror = narrow("MPI_Type_ub", code, value, displacement);
}
void pmpi_type_hvector_(const int* count, const int* blocklength, const int* stride,
                        const int* oldtype, int* newtype, int* ierror) {
  *ierror = MPI_Type_hvector(*count, *blocklength, *stride, *oldtype, newtype);
}
void pmpi_type_hindexed_(const int* count, int* blocklengths, const int* displacements,
                         const int* oldtype, int* newtype, int* ierror) {
  *ierror = MPI_Type_hindexed(*count, blocklengths, widen(displacements, *count).data(), *oldtype,
                              newtype);
}
void pmpi_type_struct_(const int* count, int* blocklengths, const int* displacements, int* types,
                       int* newtype, int* ierror) {
  *ierror =
      MPI_Type_struct(*count, blocklengths, widen(displacements, *count).data(), types, newtype);
}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(address);
CASTOR_FORTRAN_PUBLISH(type_extent);
CASTOR_FORTRAN_PUBLISH(type_lb);
CASTOR_FORTRAN_PUBLISH(type_ub);
CASTOR_FORTRAN_PUBLISH(type_hvector);
CASTOR_FORTRAN_PUBLISH(type_hindexed);
CASTOR_FORTRAN_PUBLISH(type_struct);
