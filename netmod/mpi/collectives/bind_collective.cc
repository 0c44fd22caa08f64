// MPI functions: barrier, broadcast, gather, scatter, allgather, alltoall.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/collective_bodies.h"
#include "netmod/mpi/collectives/collective_call.h"
#include "netmod/mpi/collectives/engine/transfer.h"

using netmod::collective;
using netmod::CollectiveCall;

extern "C" {

int PMPI_Barrier(MPI_Comm comm) {
  return collective("MPI_Barrier", comm,
                    [&](const CollectiveCall& call) { netmod::body::barrier(call); });
}
NETMOD_PUBLISH(Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return collective("MPI_Bcast", comm, [&](const CollectiveCall& call) {
    netmod::body::bcast(call, buffer, count, datatype, root);
  });
}
NETMOD_PUBLISH(Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return collective("MPI_Gather", comm, [&](const CollectiveCall& call) {
    netmod::body::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
NETMOD_PUBLISH(Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm) {
  return collective("MPI_Gatherv", comm, [&](const CollectiveCall& call) {
    netmod::body::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                          root);
  });
}
NETMOD_PUBLISH(Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return collective("MPI_Scatter", comm, [&](const CollectiveCall& call) {
    netmod::body::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
NETMOD_PUBLISH(Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return collective("MPI_Scatterv", comm, [&](const CollectiveCall& call) {
    netmod::body::scatterv(call, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                           recvtype, root);
  });
}
NETMOD_PUBLISH(Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Allgather", comm, [&](const CollectiveCall& call) {
    netmod::body::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
NETMOD_PUBLISH(Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm) {
  return collective("MPI_Allgatherv", comm, [&](const CollectiveCall& call) {
    netmod::body::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                             recvtype);
  });
}
NETMOD_PUBLISH(Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Alltoall", comm, [&](const CollectiveCall& call) {
    netmod::body::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
NETMOD_PUBLISH(Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Alltoallv", comm, [&](const CollectiveCall& call) {
    netmod::body::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                            rdispls, recvtype);
  });
}
NETMOD_PUBLISH(Alltoallv);

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return collective("MPI_Alltoallw", comm, [&](const CollectiveCall& call) {
    netmod::body::alltoallw(call, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                            rdispls, recvtypes);
  });
}
NETMOD_PUBLISH(Alltoallw);

}  // extern "C"
