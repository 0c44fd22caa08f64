! OpenMP in ranks that wait for each other inside of regions.
program openmp
  use mpi
  use omp_lib
  implicit none
  integer :: rank, ranks, error, provided, step, got, i, status(MPI_STATUS_SIZE)
  integer :: sum, failures
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  failures = 0
  do step = 1, 10
    sum = 0
    if (mod(rank + step, 2) == 0) then
      !$omp parallel
      !$omp single
      call meet(1)
      !$omp end single
      !$omp critical
      sum = sum + omp_get_level()
      !$omp end critical
      !$omp end parallel
      if (sum /= omp_get_max_threads()) failures = failures + 1
    else
      call meet(0)
    end if
    sum = 0
    !$omp parallel do schedule(dynamic) reduction(+:sum)
    do i = 1, 100
      sum = sum + i
      if (i == mod(rank, 100) + 1) call meet(1)
    end do
    !$omp end parallel do
    if (sum /= 5050) failures = failures + 1
  end do
  print '(a,i0,a,i0)', 'rank ', rank, ': failures ', failures
  call MPI_Finalize(error)
contains
  subroutine meet(level)
    integer, intent(in) :: level
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, got, 1, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, status, error)
    if (got /= mod(rank + ranks - 1, ranks)) failures = failures + 1
    if (omp_get_level() /= level) failures = failures + 1
  end subroutine
end program
