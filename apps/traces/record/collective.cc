// Collective calls.
#include "apps/traces/record/timed.h"

using namespace dumpi_record;

namespace {

/// What only the root has.
Value at_root(bool is_root, Value value) { return is_root ? std::move(value) : Value(); }

/// Whether what a rank gives to a root, or gets from one, is its own data.
bool is_own(const void* buffer, int root) {
  return buffer != MPI_IN_PLACE && root != MPI_PROC_NULL && root != MPI_ROOT;
}

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm handle) {
  Timed call(Label::Barrier);
  const int code = call.returned(PMPI_Barrier(handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {comm(handle)});
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm handle) {
  Timed call(Label::Bcast);
  const int code = call.returned(PMPI_Bcast(buffer, count, datatype, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(
      code, {count, type_if(root != MPI_PROC_NULL, datatype), rank_number(root), comm(handle)});
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Timed call(Label::Gather);
  const int code = call.returned(
      PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int rank = Members(handle).rank_for(root);
  const bool is_root = rank == rank_number(root);
  return call.record(code, {rank, sendcount, type_if(is_own(sendbuf, root), sendtype),
                            rank_number(root), comm(handle), at_root(is_root, recvcount),
                            at_root(is_root, type_if(is_root, recvtype))});
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm handle) {
  Timed call(Label::Gatherv);
  const int code = call.returned(PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                              displs, recvtype, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const Members members(handle);
  const int rank = members.rank_for(root);
  const bool is_root = rank == rank_number(root);
  return call.record(
      code,
      {rank, members.size, sendcount, type_if(is_own(sendbuf, root), sendtype), rank_number(root),
       comm(handle), at_root(is_root, numbers(recvcounts, members.size, is_root)),
       at_root(is_root, numbers(displs, members.size, is_root)), type_if(is_root, recvtype)});
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Timed call(Label::Scatter);
  const int code = call.returned(
      PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int rank = Members(handle).rank_for(root);
  const bool is_root = rank == rank_number(root);
  return call.record(code, {rank, recvcount, type_if(is_own(recvbuf, root), recvtype),
                            rank_number(root), comm(handle), at_root(is_root, sendcount),
                            at_root(is_root, type_if(is_root, sendtype))});
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm handle) {
  Timed call(Label::Scatterv);
  const int code = call.returned(PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf,
                                               recvcount, recvtype, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const Members members(handle);
  const int rank = members.rank_for(root);
  const bool is_root = rank == rank_number(root);
  return call.record(code,
                     {rank, members.size, type_if(is_root, sendtype), recvcount,
                      type_if(is_own(recvbuf, root), recvtype), rank_number(root), comm(handle),
                      at_root(is_root, numbers(sendcounts, members.size, is_root)),
                      at_root(is_root, numbers(displs, members.size, is_root))});
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Timed call(Label::Allgather);
  const int code = call.returned(
      PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {sendcount, type_if(sendbuf != MPI_IN_PLACE, sendtype), recvcount,
                            type(recvtype), comm(handle)});
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   MPI_Comm handle) {
  Timed call(Label::Allgatherv);
  const int code = call.returned(
      PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int size = Members(handle).size;
  return call.record(
      code, {size, sendcount, type_if(sendbuf != MPI_IN_PLACE, sendtype), numbers(recvcounts, size),
             numbers(displs, size), type(recvtype), comm(handle)});
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Timed call(Label::Alltoall);
  const int code = call.returned(
      PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {sendcount, type_if(sendbuf != MPI_IN_PLACE, sendtype), recvcount,
                            type(recvtype), comm(handle)});
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm handle) {
  Timed call(Label::Alltoallv);
  const int code = call.returned(PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                recvcounts, rdispls, recvtype, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int size = Members(handle).size;
  const bool sends = sendbuf != MPI_IN_PLACE;
  return call.record(code, {size, numbers(sendcounts, size, sends), numbers(sdispls, size, sends),
                            type_if(sends, sendtype), numbers(recvcounts, size),
                            numbers(rdispls, size), type(recvtype), comm(handle)});
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op operation, int root, MPI_Comm handle) {
  Timed call(Label::Reduce);
  const int code =
      call.returned(PMPI_Reduce(sendbuf, recvbuf, count, datatype, operation, root, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {count, type_if(root != MPI_PROC_NULL, datatype), op(operation),
                            rank_number(root), comm(handle)});
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op operation, MPI_Comm handle) {
  Timed call(Label::Allreduce);
  const int code =
      call.returned(PMPI_Allreduce(sendbuf, recvbuf, count, datatype, operation, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {count, type(datatype), op(operation), comm(handle)});
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                       MPI_Datatype datatype, MPI_Op operation, MPI_Comm handle) {
  Timed call(Label::Reduce_scatter);
  const int code =
      call.returned(PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, operation, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  int size = 0;
  PMPI_Comm_size(handle, &size);  // of an intercommunicator, too: the own group's
  return call.record(
      code, {size, numbers(recvcounts, size), type(datatype), op(operation), comm(handle)});
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
               MPI_Op operation, MPI_Comm handle) {
  Timed call(Label::Exscan);
  const int code = call.returned(PMPI_Exscan(sendbuf, recvbuf, count, datatype, operation, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {count, type(datatype), op(operation), comm(handle)});
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm handle) {
  Timed call(Label::Alltoallw);
  const int code = call.returned(PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                recvcounts, rdispls, recvtypes, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  const int size = Members(handle).size;
  const bool sends = sendbuf != MPI_IN_PLACE;
  const auto types = [size](const MPI_Datatype* given, const int* counts, bool used) {
    std::vector<std::int32_t> all;
    for (int rank = 0; rank < size; ++rank) {
      const bool counts_here = used && counts[rank] != 0;
      all.push_back(type_if(counts_here, used ? given[rank] : MPI_DATATYPE_NULL));
    }
    return all;
  };
  return call.record(
      code, {size, numbers(sendcounts, size, sends), numbers(sdispls, size, sends),
             types(sendtypes, sendcounts, sends), numbers(recvcounts, size), numbers(rdispls, size),
             types(recvtypes, recvcounts, true), comm(handle)});
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op operation,
             MPI_Comm handle) {
  Timed call(Label::Scan);
  const int code = call.returned(PMPI_Scan(sendbuf, recvbuf, count, datatype, operation, handle));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {count, type(datatype), op(operation), comm(handle)});
}

}  // extern "C"
