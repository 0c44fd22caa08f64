// MPI functions: the non-blocking collectives.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/collective_bodies.h"
#include "netmod/mpi/collectives/collective_call.h"
#include "netmod/mpi/collectives/engine/transfer.h"

using netmod::CollectiveCall;
using netmod::start_collective;

extern "C" {

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Ibarrier", comm, request,
                          [&](const CollectiveCall& call) { netmod::body::barrier(call); });
}
NETMOD_PUBLISH(Ibarrier);

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request* request) {
  return start_collective("MPI_Ibcast", comm, request, [&](const CollectiveCall& call) {
    netmod::body::bcast(call, buffer, count, datatype, root);
  });
}
NETMOD_PUBLISH(Ibcast);

int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return start_collective("MPI_Igather", comm, request, [&](const CollectiveCall& call) {
    netmod::body::gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
NETMOD_PUBLISH(Igather);

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Igatherv", comm, request, [&](const CollectiveCall& call) {
    netmod::body::gatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                          root);
  });
}
NETMOD_PUBLISH(Igatherv);

int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return start_collective("MPI_Iscatter", comm, request, [&](const CollectiveCall& call) {
    netmod::body::scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
  });
}
NETMOD_PUBLISH(Iscatter);

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iscatterv", comm, request, [&](const CollectiveCall& call) {
    netmod::body::scatterv(call, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                           recvtype, root);
  });
}
NETMOD_PUBLISH(Iscatterv);

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iallgather", comm, request, [&](const CollectiveCall& call) {
    netmod::body::allgather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
NETMOD_PUBLISH(Iallgather);

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iallgatherv", comm, request, [&](const CollectiveCall& call) {
    netmod::body::allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                             recvtype);
  });
}
NETMOD_PUBLISH(Iallgatherv);

int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Ialltoall", comm, request, [&](const CollectiveCall& call) {
    netmod::body::alltoall(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  });
}
NETMOD_PUBLISH(Ialltoall);

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return start_collective("MPI_Ialltoallv", comm, request, [&](const CollectiveCall& call) {
    netmod::body::alltoallv(call, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                            rdispls, recvtype);
  });
}
NETMOD_PUBLISH(Ialltoallv);

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request) {
  return start_collective("MPI_Ialltoallw", comm, request, [&](const CollectiveCall& call) {
    netmod::body::alltoallw(call, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                            rdispls, recvtypes);
  });
}
NETMOD_PUBLISH(Ialltoallw);

int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Ireduce", comm, request, [&](const CollectiveCall& call) {
    netmod::body::reduce(call, sendbuf, recvbuf, count, datatype, op, root);
  });
}
NETMOD_PUBLISH(Ireduce);

int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iallreduce", comm, request, [&](const CollectiveCall& call) {
    netmod::body::allreduce(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Iallreduce);

int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request* request) {
  return start_collective(
      "MPI_Ireduce_scatter_block", comm, request, [&](const CollectiveCall& call) {
        netmod::body::reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op);
      });
}
NETMOD_PUBLISH(Ireduce_scatter_block);

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Ireduce_scatter", comm, request, [&](const CollectiveCall& call) {
    netmod::body::reduce_scatter(call, sendbuf, recvbuf, recvcounts, datatype, op);
  });
}
NETMOD_PUBLISH(Ireduce_scatter);

int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iscan", comm, request, [&](const CollectiveCall& call) {
    netmod::body::scan(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Iscan);

int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) {
  return start_collective("MPI_Iexscan", comm, request, [&](const CollectiveCall& call) {
    netmod::body::exscan(call, sendbuf, recvbuf, count, datatype, op);
  });
}
NETMOD_PUBLISH(Iexscan);

}  // extern "C"
