// The collective functions of MPI but for their entry and exit: arguments are checked, data brought
// into packed form and back, the algorithm is run. Blocking and non-blocking calls share them; what
// they do after the algorithm goes through the call, too.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"

namespace netmod::body {

// Arguments as of the MPI functions.
void barrier(const CollectiveCall& call);
void bcast(const CollectiveCall& call, void* buffer, int count, MPI_Datatype datatype, int root);
void gather(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root);
void gatherv(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, const int* recvcounts, const int* displs, MPI_Datatype recvtype,
             int root);
void scatter(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int root);
void scatterv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
              const int* displs, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root);
void allgather(const CollectiveCall& call, const void* sendbuf, int sendcount,
               MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype);
void allgatherv(const CollectiveCall& call, const void* sendbuf, int sendcount,
                MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* displs,
                MPI_Datatype recvtype);
void alltoall(const CollectiveCall& call, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype);
void alltoallv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
               const int* rdispls, MPI_Datatype recvtype);
void alltoallw(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
               const int* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
               const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes);

void reduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
            MPI_Datatype datatype, MPI_Op op, int root);
void allreduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op);
void reduce_scatter_block(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op);
void reduce_scatter(const CollectiveCall& call, const void* sendbuf, void* recvbuf,
                    const int* recvcounts, MPI_Datatype datatype, MPI_Op op);
void scan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
          MPI_Datatype datatype, MPI_Op op);
void exscan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, int count,
            MPI_Datatype datatype, MPI_Op op);

/// An operation that there is, else MPI_ERR_OP.
void check_op(RankState& rank, MPI_Op op);
void reduce_local(RankState& rank, const void* inbuf, void* inoutbuf, int count,
                  MPI_Datatype datatype, MPI_Op op);

}  // namespace netmod::body
