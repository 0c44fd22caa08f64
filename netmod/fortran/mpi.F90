! The module mpi: what mpif.h has, the names of all subroutines, and MPI_Sizeof.
! mpi_names.inc names the subroutines; it is made from the bindings.

! The size of a scalar or of an array's elements.
#define SIZEOF(NAME, TYPE) \
subroutine NAME(x, size, ierror); \
TYPE, intent(in) :: x(..); \
integer, intent(out) :: size, ierror; \
size = int(storage_size(x) / 8); ierror = MPI_SUCCESS; \
end subroutine NAME

module mpi
  implicit none
  include 'mpif.h'
  include 'mpi_names.inc'
  integer(kind=MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff
  integer(kind=MPI_ADDRESS_KIND), external :: PMPI_Aint_add, PMPI_Aint_diff

  interface MPI_Sizeof
    module procedure sizeof_character, sizeof_logical1, sizeof_logical2, sizeof_logical4, &
      sizeof_logical8, sizeof_integer1, sizeof_integer2, sizeof_integer4, sizeof_integer8, &
      sizeof_integer16, sizeof_real4, sizeof_real8, sizeof_real10, sizeof_real16, &
      sizeof_complex4, sizeof_complex8, sizeof_complex10, sizeof_complex16
  end interface
  private :: sizeof_character, sizeof_logical1, sizeof_logical2, sizeof_logical4, &
    sizeof_logical8, sizeof_integer1, sizeof_integer2, sizeof_integer4, sizeof_integer8, &
    sizeof_integer16, sizeof_real4, sizeof_real8, sizeof_real10, sizeof_real16, &
    sizeof_complex4, sizeof_complex8, sizeof_complex10, sizeof_complex16

contains

SIZEOF(sizeof_character, character(len=*))
SIZEOF(sizeof_logical1, logical(1))
SIZEOF(sizeof_logical2, logical(2))
SIZEOF(sizeof_logical4, logical(4))
SIZEOF(sizeof_logical8, logical(8))
SIZEOF(sizeof_integer1, integer(1))
SIZEOF(sizeof_integer2, integer(2))
SIZEOF(sizeof_integer4, integer(4))
SIZEOF(sizeof_integer8, integer(8))
SIZEOF(sizeof_integer16, integer(16))
SIZEOF(sizeof_real4, real(4))
SIZEOF(sizeof_real8, real(8))
SIZEOF(sizeof_real10, real(10))
SIZEOF(sizeof_real16, real(16))
SIZEOF(sizeof_complex4, complex(4))
SIZEOF(sizeof_complex8, complex(8))
SIZEOF(sizeof_complex10, complex(10))
SIZEOF(sizeof_complex16, complex(16))

end module mpi
