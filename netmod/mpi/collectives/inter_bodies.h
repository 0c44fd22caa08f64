// The collective functions on intercommunicators: within each group by the algorithms of
// intracommunicators, between the groups by their first ranks or directly.
#pragma once

#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"

namespace netmod::body {

/// Declared here for both kinds: arguments of a reduction, checked, bound to its datatype, which
/// lasts as long as the call.
Reduction check_reduction(const CollectiveCall& call, const void* sendbuf, const void* recvbuf,
                          std::int64_t count, MPI_Datatype datatype, MPI_Op op, bool in_place,
                          bool receives);

namespace inter {

/// MPI_ERR_COMM on an intercommunicator.
void refuse(const CollectiveCall& call);

// Arguments as of the MPI functions. `root`: MPI_ROOT at the root, MPI_PROC_NULL at the others of
// its group, the root's rank in the other group.
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

}  // namespace inter
}  // namespace netmod::body
