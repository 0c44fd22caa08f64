// The neighbourhood collectives but for their entry and exit.
#pragma once

#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"

namespace netmod::body {

// Arguments as of the MPI functions.
void neighbor_allgather(const CollectiveCall& call, const void* sendbuf, int sendcount,
                        MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype);
void neighbor_allgatherv(const CollectiveCall& call, const void* sendbuf, int sendcount,
                         MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                         const int* displs, MPI_Datatype recvtype);
void neighbor_alltoall(const CollectiveCall& call, const void* sendbuf, int sendcount,
                       MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype);
void neighbor_alltoallv(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
                        const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                        const int* recvcounts, const int* rdispls, MPI_Datatype recvtype);
void neighbor_alltoallw(const CollectiveCall& call, const void* sendbuf, const int* sendcounts,
                        const MPI_Aint* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                        const int* recvcounts, const MPI_Aint* rdispls,
                        const MPI_Datatype* recvtypes);

}  // namespace netmod::body
