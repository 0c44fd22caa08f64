! Point to point from Fortran: statuses, indices that begin with 1, logical flags.
program point_to_point
  use mpi
  use checks
  implicit none
  integer :: error
  call start()
  call blocking()
  call several()
  call some_of_several()
  call persistent()
  call matched()
  call finish()
contains

  subroutine blocking()
    integer :: status(MPI_STATUS_SIZE), count, value, other, request
    double precision :: sent(5), received(10)
    logical :: flag
    sent = [1d0, 2d0, 3d0, 4d0, 5d0] * (rank + 1)
    received = -1
    if (mod(rank, 2) == 0) then
      call MPI_Send(sent, 5, MPI_DOUBLE_PRECISION, rank + 1, 7, MPI_COMM_WORLD, error)
    else
      call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
      call check(status(MPI_SOURCE) == rank - 1 .and. status(MPI_TAG) == 7, 'what it probes')
      status = -5
      call MPI_Recv(received, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                    MPI_COMM_WORLD, status, error)
      call check(error == MPI_SUCCESS, 'a successful receive')
      call check(status(MPI_SOURCE) == rank - 1 .and. status(MPI_TAG) == 7, 'source and tag')
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, error)
      call check(count == 5, 'five elements')
      call MPI_Get_count(status, MPI_DOUBLE_COMPLEX, count, error)
      call check(count == MPI_UNDEFINED, 'no whole number of complex elements')
      call check(all(received(1:5) == [1d0, 2d0, 3d0, 4d0, 5d0] * rank), 'the numbers')
      call check(all(received(6:) == -1), 'nothing behind them')
    end if
    other = ieor(rank, 1)
    value = -1
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, 1, value, 1, MPI_INTEGER, other, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call check(value == other, 'the other one')
    value = rank
    call MPI_Sendrecv_replace(value, 1, MPI_INTEGER, other, 1, other, 1, MPI_COMM_WORLD, status, error)
    call check(value == other .and. status(MPI_SOURCE) == other, 'the other one, in place')
    call MPI_Irecv(value, 1, MPI_INTEGER, other, 99, MPI_COMM_WORLD, request, error)
    call MPI_Test(request, flag, status, error)
    call check(.not. flag, 'no message that no rank has sent')
    call MPI_Cancel(request, error)
    call MPI_Wait(request, status, error)
    call MPI_Test_cancelled(status, flag, error)
    call check(flag .and. request == MPI_REQUEST_NULL, 'its receive cancelled')
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, status, error)
    call check(status(MPI_SOURCE) == MPI_PROC_NULL, 'no partner')
    call MPI_Barrier(MPI_COMM_WORLD, error)  ! before messages that would match any tag here
  end subroutine blocking

  subroutine several()
    integer :: requests(8), statuses(MPI_STATUS_SIZE, 8), i
    integer, volatile :: from(4)
    logical :: flag
    from = -1
    do i = 1, ranks
      call MPI_Irecv(from(i), 1, MPI_INTEGER, i - 1, 2, MPI_COMM_WORLD, requests(i), error)
      call MPI_Isend(rank, 1, MPI_INTEGER, i - 1, 2, MPI_COMM_WORLD, requests(ranks + i), error)
    end do
    call MPI_Waitall(2 * ranks, requests, statuses, error)
    call check(all(from == [0, 1, 2, 3]), 'a number from everybody')
    call check(all(statuses(MPI_SOURCE, 1:4) == [0, 1, 2, 3]), 'everybody in the statuses')
    call check(all(requests == MPI_REQUEST_NULL), 'null requests')
    from = -1
    do i = 1, ranks
      call MPI_Irecv(from(i), 1, MPI_INTEGER, i - 1, 2, MPI_COMM_WORLD, requests(i), error)
      call MPI_Issend(rank, 1, MPI_INTEGER, i - 1, 2, MPI_COMM_WORLD, requests(ranks + i), error)
    end do
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2 * ranks, requests, flag, MPI_STATUSES_IGNORE, error)
    end do
    call check(all(from == [0, 1, 2, 3]), 'the same, statuses ignored')
  end subroutine several

  subroutine some_of_several()
    integer :: requests(3), indices(3), statuses(MPI_STATUS_SIZE, 3), index, count, i
    integer, volatile :: from(3)
    logical :: flag
    requests = MPI_REQUEST_NULL
    call MPI_Waitany(3, requests, index, statuses, error)
    call check(index == MPI_UNDEFINED, 'no index where there is no request')
    call MPI_Testany(3, requests, index, flag, MPI_STATUS_IGNORE, error)
    call check(index == MPI_UNDEFINED .and. flag, 'none when testing, either')
    call MPI_Waitsome(3, requests, count, indices, MPI_STATUSES_IGNORE, error)
    call check(count == MPI_UNDEFINED, 'no number of completed requests')
    from = -1
    ! Only the third one can complete, then the second.
    do i = 1, 3
      call MPI_Irecv(from(i), 1, MPI_INTEGER, rank, 10 + i, MPI_COMM_WORLD, requests(i), error)
    end do
    call MPI_Testany(3, requests, index, flag, statuses, error)
    call check(.not. flag .and. index == MPI_UNDEFINED, 'no index before there is a message')
    call MPI_Send(33, 1, MPI_INTEGER, rank, 13, MPI_COMM_WORLD, error)
    call MPI_Waitany(3, requests, index, statuses, error)
    call check(index == 3 .and. from(3) == 33, 'index 3')
    call check(statuses(MPI_TAG, 1) == 13, 'its status')
    call MPI_Send(22, 1, MPI_INTEGER, rank, 12, MPI_COMM_WORLD, error)
    call MPI_Waitsome(3, requests, count, indices, statuses, error)
    call check(count == 1 .and. indices(1) == 2 .and. from(2) == 22, 'index 2 of some')
    call MPI_Send(11, 1, MPI_INTEGER, rank, 11, MPI_COMM_WORLD, error)
    count = 0
    do while (count == 0)
      call MPI_Testsome(3, requests, count, indices, MPI_STATUSES_IGNORE, error)
    end do
    call check(count == 1 .and. indices(1) == 1 .and. from(1) == 11, 'index 1 when testing some')
  end subroutine some_of_several

  subroutine persistent()
    integer :: requests(2), i
    integer, volatile :: value  ! written between calls that do not name it
    real :: attached(1000)
    integer :: size
    call MPI_Recv_init(value, 1, MPI_INTEGER, ieor(rank, 1), 5, MPI_COMM_WORLD, requests(1), error)
    call MPI_Send_init(rank, 1, MPI_INTEGER, ieor(rank, 1), 5, MPI_COMM_WORLD, requests(2), error)
    do i = 1, 3
      value = -1
      call MPI_Startall(2, requests, error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      call check(value == ieor(rank, 1), 'the value of a persistent receive')
    end do
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
    call MPI_Buffer_attach(attached, 4000, error)
    call MPI_Bsend([7, 8], 2, MPI_INTEGER, rank, 6, MPI_COMM_WORLD, error)
    call MPI_Recv(requests, 2, MPI_INTEGER, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Buffer_detach(attached, size, error)
    call check(all(requests == [7, 8]) .and. size == 4000, 'a buffered message')
  end subroutine persistent

  subroutine matched()
    integer :: message, status(MPI_STATUS_SIZE), value
    logical :: flag
    call MPI_Improbe(rank, 4, MPI_COMM_WORLD, flag, message, status, error)
    call check(.not. flag, 'no message to match')
    call MPI_Send(rank * 3, 1, MPI_INTEGER, ieor(rank, 1), 4, MPI_COMM_WORLD, error)
    call MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, message, status, error)
    call MPI_Mrecv(value, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, error)
    call check(value == ieor(rank, 1) * 3 .and. message == MPI_MESSAGE_NULL, 'the matched message')
  end subroutine matched
end program point_to_point
