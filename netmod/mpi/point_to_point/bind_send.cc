// MPI functions: blocking and non-blocking sends and receives.
#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/point_to_point/arguments.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

int send(const char* function, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
         MPI_Comm comm, bool synchronous) {
  return call(function, comm, [&](RankState& rank) {
    run_send(rank, send_operation(rank, buf, count, datatype, dest, tag, comm, synchronous));
  });
}

int start_send(const char* function, const void* buf, int count, MPI_Datatype datatype, int dest,
               int tag, MPI_Comm comm, bool synchronous, MPI_Request* request) {
  return call(function, comm, [&](RankState& rank) {
    check_pointer(request, "request");
    *request = start_request(
        rank, send_operation(rank, buf, count, datatype, dest, tag, comm, synchronous));
  });
}

/// Both directions at once; the send's bytes are `data`, unchanged until it is done.
void send_and_receive(RankState& rank, const Operation& sending, const Operation& receiving,
                      MPI_Status* status) {
  MPI_Request incoming = start_request(rank, receiving);
  run_send(rank, sending);
  const RequestRecord& record = *rank.requests().made.find(incoming);
  if (record.device != nullptr) rank.wait(*record.device);
  finish_or_fail(rank, incoming, status);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return netmod::send("MPI_Send", buf, count, datatype, dest, tag, comm, false);
}
NETMOD_PUBLISH(Send);

int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return netmod::send("MPI_Ssend", buf, count, datatype, dest, tag, comm, true);
}
NETMOD_PUBLISH(Ssend);

int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return netmod::send("MPI_Rsend", buf, count, datatype, dest, tag, comm, false);
}
NETMOD_PUBLISH(Rsend);

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
  return call("MPI_Recv", comm, [&](RankState& rank) {
    check_pointer(status, "status");
    netmod::run_receive(
        rank, netmod::receive_operation(rank, buf, count, datatype, source, tag, comm), status);
  });
}
NETMOD_PUBLISH(Recv);

int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return netmod::start_send("MPI_Isend", buf, count, datatype, dest, tag, comm, false, request);
}
NETMOD_PUBLISH(Isend);

int PMPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return netmod::start_send("MPI_Issend", buf, count, datatype, dest, tag, comm, true, request);
}
NETMOD_PUBLISH(Issend);

int PMPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return netmod::start_send("MPI_Irsend", buf, count, datatype, dest, tag, comm, false, request);
}
NETMOD_PUBLISH(Irsend);

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return call("MPI_Irecv", comm, [&](RankState& rank) {
    check_pointer(request, "request");
    *request = netmod::start_request(
        rank, netmod::receive_operation(rank, buf, count, datatype, source, tag, comm));
  });
}
NETMOD_PUBLISH(Irecv);

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Sendrecv", comm, [&](RankState& rank) {
    check_pointer(status, "status");
    const netmod::Operation sending =
        netmod::send_operation(rank, sendbuf, sendcount, sendtype, dest, sendtag, comm, false);
    const netmod::Operation receiving =
        netmod::receive_operation(rank, recvbuf, recvcount, recvtype, source, recvtag, comm);
    netmod::send_and_receive(rank, sending, receiving, status);
  });
}
NETMOD_PUBLISH(Sendrecv);

int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Sendrecv_replace", comm, [&](RankState& rank) {
    check_pointer(status, "status");
    netmod::Operation sending =
        netmod::send_operation(rank, buf, count, datatype, dest, sendtag, comm, false);
    const netmod::Operation receiving =
        netmod::receive_operation(rank, buf, count, datatype, source, recvtag, comm);
    const auto bytes = static_cast<std::int64_t>(sending.type.packed_bytes(count));
    const auto copy = corespec::rank_bytes(bytes);
    netmod::pack(sending.type, buf, count, copy.get());
    rank.charge_copy(bytes);
    sending.buffer = copy.get();
    sending.count = bytes;
    sending.type = rank.datatypes().known(MPI_BYTE);
    netmod::send_and_receive(rank, sending, receiving, status);
  });
}
NETMOD_PUBLISH(Sendrecv_replace);

}  // extern "C"
