! MPI from an installed tree: the header in fixed form, and a library that marks an argument.
      PROGRAM MPROG
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, SIZE, TOTAL, ERROR
      CALL MPI_INIT(ERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, ERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, SIZE, ERROR)
      CALL SUMALL(RANK + 1, TOTAL)
      IF (RANK .EQ. 0) THEN
        IF (TOTAL .EQ. SIZE * (SIZE + 1) / 2) THEN
          WRITE (*, '(A)') 'right'
        ELSE
          WRITE (*, '(A)') 'wrong'
        END IF
      END IF
      CALL MPI_FINALIZE(ERROR)
      END
