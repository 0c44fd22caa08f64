! The header in fixed form. What marks an argument is known from the program and from a library that
! the program is linked with; Fortran's state is a rank's own.
      PROGRAM SENTINELS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, TOTAL, ERROR, REQ(2), VALUE, I, FAILED
      INTEGER READ_BACK
      VOLATILE VALUE
      INTEGER NAMES, OTHERS
      COMMON /OWN/ NAMES
      CALL MPI_INIT(ERROR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, ERROR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, ERROR)
      FAILED = 0
! In place, here and in the library.
      TOTAL = RANK
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ERROR)
      IF (TOTAL .NE. RANKS * (RANKS - 1) / 2) FAILED = FAILED + 1
      CALL LIBRARY_SUM(RANK, TOTAL)
      IF (TOTAL .NE. RANKS * (RANKS - 1) / 2) FAILED = FAILED + 1
! Statuses that the caller ignores must not be written.
      MPI_STATUS_IGNORE(MPI_TAG) = -77
      MPI_STATUSES_IGNORE(MPI_TAG, 1) = -78
      CALL MPI_IRECV(VALUE, 1, MPI_INTEGER, RANK, 3, MPI_COMM_WORLD,
     &               REQ(1), ERROR)
      CALL MPI_ISEND(RANK, 1, MPI_INTEGER, RANK, 3, MPI_COMM_WORLD,
     &               REQ(2), ERROR)
      CALL MPI_WAITALL(2, REQ, MPI_STATUSES_IGNORE, ERROR)
      CALL MPI_SEND(RANK, 1, MPI_INTEGER, RANK, 4, MPI_COMM_WORLD,
     &              ERROR)
      CALL MPI_RECV(VALUE, 1, MPI_INTEGER, RANK, 4, MPI_COMM_WORLD,
     &              MPI_STATUS_IGNORE, ERROR)
      CALL LIBRARY_RECEIVE(VALUE)
      IF (MPI_STATUS_IGNORE(MPI_TAG) .NE. -77) FAILED = FAILED + 1
      IF (MPI_STATUSES_IGNORE(MPI_TAG, 1) .NE. -78) FAILED = FAILED + 1
! A common block, and units, of every rank's own.
      NAMES = RANK
      OPEN (UNIT=17, STATUS='SCRATCH')
      DO I = 1, 3
        CALL MPI_BARRIER(MPI_COMM_WORLD, ERROR)
        WRITE (17, *) RANK * 100 + I
      END DO
      IF (NAMES .NE. RANK) FAILED = FAILED + 1
      REWIND (17)
      DO I = 1, 3
        CALL MPI_BARRIER(MPI_COMM_WORLD, ERROR)
        READ (17, *) READ_BACK
        IF (READ_BACK .NE. RANK * 100 + I) FAILED = FAILED + 1
      END DO
      CLOSE (17)
      CALL MPI_REDUCE(FAILED, OTHERS, 1, MPI_INTEGER, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ERROR)
      IF (RANK .EQ. 0) THEN
        IF (OTHERS .EQ. 0) THEN
          WRITE (*, '(A)') 'all checks hold'
        ELSE
          WRITE (*, *) OTHERS, ' checks do not hold'
        END IF
      END IF
      CALL MPI_FINALIZE(ERROR)
      END
