! A library of a user's: the sum of everybody's value, with MPI's header in fixed form.
      SUBROUTINE SUMALL(MINE, TOTAL)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MINE, TOTAL, ERROR
      TOTAL = MINE
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ERROR)
      END
