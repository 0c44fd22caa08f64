! Topologies from Fortran: logical arrays, and the marks of graphs without weights.
program topology
  use mpi
  use checks
  implicit none
  integer :: error
  call start()
  call grids()
  call graphs()
  call distributed_graphs()
  call finish()
contains

  subroutine grids()
    integer :: comm, dims(2), coords(2), below, above, row, size, place, from(4)
    logical :: periods(2)
    dims = 0
    call MPI_Dims_create(4, 2, dims, error)
    call check(all(dims == [2, 2]), 'two by two')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., comm, error)
    call MPI_Cart_get(comm, 2, dims, periods, coords, error)
    call check(periods(1) .and. .not. periods(2), 'what is periodic')
    call check(all(coords == [rank / 2, mod(rank, 2)]), 'the coordinates')
    call MPI_Cart_rank(comm, coords, place, error)
    call check(place == rank, 'their rank')
    call MPI_Cart_shift(comm, 0, 1, below, above, error)
    call check(below == mod(rank + 2, 4) .and. above == below, 'around')
    call MPI_Cart_shift(comm, 1, 1, below, above, error)
    call check(merge(below, above, coords(2) == 0) == MPI_PROC_NULL, 'the edge')
    call MPI_Cart_sub(comm, [.false., .true.], row, error)
    call MPI_Comm_size(row, size, error)
    call check(size == 2, 'a row')
    from = -1
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, from, 1, MPI_INTEGER, comm, error)
    call check(all(from(1:2) == mod(rank + 2, 4)), 'the neighbours'' ranks')
    call MPI_Topo_test(comm, size, error)
    call check(size == MPI_CART, 'a grid')
    call MPI_Comm_disconnect(row, error)
    call check(row == MPI_COMM_NULL, 'no row any more')
    call MPI_Comm_free(comm, error)
    call MPI_Comm_get_parent(comm, error)
    call check(comm == MPI_COMM_NULL, 'no parent')
  end subroutine grids

  ! A ring.
  subroutine graphs()
    integer :: comm, nodes, edges, neighbours(2), count
    call MPI_Graph_create(MPI_COMM_WORLD, 4, [2, 4, 6, 8], [1, 3, 0, 2, 1, 3, 0, 2], .false., &
                          comm, error)
    call MPI_Graphdims_get(comm, nodes, edges, error)
    call check(nodes == 4 .and. edges == 8, 'four nodes, eight edges')
    call MPI_Graph_neighbors_count(comm, rank, count, error)
    call MPI_Graph_neighbors(comm, rank, 2, neighbours, error)
    call check(count == 2 .and. sum(abs(neighbours - rank)) == merge(4, 2, rank == 0 .or. rank == 3), &
               'both neighbours')
    call MPI_Comm_free(comm, error)
  end subroutine graphs

  subroutine distributed_graphs()
    integer :: comm, into, out, source(1), destination(1), weights(1), before, next, got
    logical :: weighted
    before = mod(rank + 3, 4)
    next = mod(rank + 1, 4)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], MPI_UNWEIGHTED, 1, [next], &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., comm, error)
    call MPI_Dist_graph_neighbors_count(comm, into, out, weighted, error)
    call check(into == 1 .and. out == 1 .and. .not. weighted, 'a ring without weights')
    call MPI_Dist_graph_neighbors(comm, 1, source, MPI_UNWEIGHTED, 1, destination, MPI_UNWEIGHTED, &
                                  error)
    call check(source(1) == before .and. destination(1) == next, 'before and next')
    call MPI_Neighbor_alltoall(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, comm, error)
    call check(got == before, 'what came around')
    call MPI_Comm_free(comm, error)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], [5 + rank], 1, [next], &
                                        [6 + rank], MPI_INFO_NULL, .false., comm, error)
    call MPI_Dist_graph_neighbors(comm, 1, source, weights, 0, destination, MPI_WEIGHTS_EMPTY, error)
    call MPI_Dist_graph_neighbors_count(comm, into, out, weighted, error)
    call check(weighted .and. weights(1) == 5 + rank, 'a weight')
    call MPI_Comm_free(comm, error)
    ! Rank 0 gives all edges; the others have none, but there are weights.
    if (rank == 0) then
      call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [0], [3], [1, 2, 3], [7, 8, 9], MPI_INFO_NULL, &
                                 .false., comm, error)
    else
      call MPI_Dist_graph_create(MPI_COMM_WORLD, 0, [0], [0], [0], MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
                                 .false., comm, error)
    end if
    call MPI_Dist_graph_neighbors_count(comm, into, out, weighted, error)
    call check(weighted .and. into == merge(0, 1, rank == 0) .and. out == merge(3, 0, rank == 0), &
               'a star with weights')
    call MPI_Comm_free(comm, error)
  end subroutine distributed_graphs
end program topology
