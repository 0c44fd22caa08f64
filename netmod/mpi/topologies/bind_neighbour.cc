// MPI functions: the neighbourhood collectives, blocking and non-blocking.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/collective_call.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/topologies/neighbour_bodies.h"

using netmod::collective;
using netmod::CollectiveCall;
using netmod::start_collective;

extern "C" {

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Neighbor_allgather", comm, [&](const CollectiveCall& call) {
    netmod::body::neighbor_allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                     recvtype);
  });
}
NETMOD_PUBLISH(Neighbor_allgather);

int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return start_collective("MPI_Ineighbor_allgather", comm, request,
                          [&](const CollectiveCall& call) {
                            netmod::body::neighbor_allgather(call, sendbuf, sendcount, sendtype,
                                                             recvbuf, recvcount, recvtype);
                          });
}
NETMOD_PUBLISH(Ineighbor_allgather);

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Neighbor_allgatherv", comm, [&](const CollectiveCall& call) {
    netmod::body::neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                      displs, recvtype);
  });
}
NETMOD_PUBLISH(Neighbor_allgatherv);

int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const int recvcounts[], const int displs[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start_collective(
      "MPI_Ineighbor_allgatherv", comm, request, [&](const CollectiveCall& call) {
        netmod::body::neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                          displs, recvtype);
      });
}
NETMOD_PUBLISH(Ineighbor_allgatherv);

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Neighbor_alltoall", comm, [&](const CollectiveCall& call) {
    netmod::body::neighbor_alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype);
  });
}
NETMOD_PUBLISH(Neighbor_alltoall);

int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request* request) {
  return start_collective("MPI_Ineighbor_alltoall", comm, request, [&](const CollectiveCall& call) {
    netmod::body::neighbor_alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype);
  });
}
NETMOD_PUBLISH(Ineighbor_alltoall);

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return collective("MPI_Neighbor_alltoallv", comm, [&](const CollectiveCall& call) {
    netmod::body::neighbor_alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                     recvcounts, rdispls, recvtype);
  });
}
NETMOD_PUBLISH(Neighbor_alltoallv);

int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return start_collective(
      "MPI_Ineighbor_alltoallv", comm, request, [&](const CollectiveCall& call) {
        netmod::body::neighbor_alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                         recvcounts, rdispls, recvtype);
      });
}
NETMOD_PUBLISH(Ineighbor_alltoallv);

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                            MPI_Comm comm) {
  return collective("MPI_Neighbor_alltoallw", comm, [&](const CollectiveCall& call) {
    netmod::body::neighbor_alltoallw(call, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                     recvcounts, rdispls, recvtypes);
  });
}
NETMOD_PUBLISH(Neighbor_alltoallw);

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm comm, MPI_Request* request) {
  return start_collective(
      "MPI_Ineighbor_alltoallw", comm, request, [&](const CollectiveCall& call) {
        netmod::body::neighbor_alltoallw(call, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                         recvcounts, rdispls, recvtypes);
      });
}
NETMOD_PUBLISH(Ineighbor_alltoallw);

}  // extern "C"
