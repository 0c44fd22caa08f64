! A library that a test program is linked with, and that marks arguments itself.
      SUBROUTINE LIBRARY_SUM(MINE, TOTAL)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MINE, TOTAL, ERROR
      TOTAL = MINE
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ERROR)
      END

      SUBROUTINE LIBRARY_RECEIVE(VALUE)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER VALUE, ERROR
      CALL MPI_RECV(VALUE, 1, MPI_INTEGER, MPI_PROC_NULL, 4,
     &              MPI_COMM_WORLD, MPI_STATUS_IGNORE, ERROR)
      END
