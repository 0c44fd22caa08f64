! Error handlers written in Fortran, and error codes.
module handlers
  implicit none
  integer :: calls = 0, last_code = 0, last_comm = 0
contains
  subroutine remember(comm, code)
    integer :: comm, code
    calls = calls + 1
    last_code = code
    last_comm = comm
  end subroutine remember
end module handlers

program errors
  use mpi
  use checks
  use handlers
  implicit none
  integer :: error, handler, found, comm, status(MPI_STATUS_SIZE), value
  logical :: flag
  call MPI_Initialized(flag, error)
  call check(.not. flag, 'that MPI is not there yet')
  call MPI_Init_thread(MPI_THREAD_FUNNELED, found, error)
  call check(found >= MPI_THREAD_SINGLE .and. found <= MPI_THREAD_MULTIPLE, 'a thread level')
  call MPI_Initialized(flag, error)
  call check(flag, 'that MPI is there')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)

  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Comm_create_errhandler(remember, handler, error)
  call MPI_Comm_set_errhandler(comm, handler, error)
  call MPI_Send(1, 1, MPI_INTEGER, 1000, 0, comm, error)
  call check(error == MPI_ERR_RANK .and. last_code == MPI_ERR_RANK .and. last_comm == comm &
             .and. calls == 1, 'the error of a wrong rank')
  call MPI_Comm_get_errhandler(comm, found, error)
  call check(found == handler, 'the handler')
  call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, error)
  call check(error == MPI_SUCCESS .and. calls == 2 .and. last_code == MPI_ERR_OTHER, 'a call of it')
  call MPI_Errhandler_free(handler, error)
  call check(handler == MPI_ERRHANDLER_NULL, 'no handler any more')
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, error)
  call MPI_Send([1, 2], 2, MPI_INTEGER, rank, 0, comm, error)
  call check(error == MPI_SUCCESS, 'a message of two')
  call MPI_Recv(value, 1, MPI_INTEGER, rank, 0, comm, status, error)
  call check(error == MPI_ERR_TRUNCATE .and. value == 1, 'one that is too long')
  ! The old name.
  call MPI_Errhandler_create(remember, handler, error)
  call MPI_Errhandler_set(comm, handler, error)
  call MPI_Bcast(value, 1, MPI_DATATYPE_NULL, 0, comm, error)
  call check(calls == 3 .and. error == MPI_ERR_TYPE, 'the error of a null datatype')
  call MPI_Comm_free(comm, error)
  call finish()
end program errors
