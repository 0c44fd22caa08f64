// MPI functions: persistent requests and buffered sends.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/point_to_point/arguments.h"
#include "netmod/mpi/point_to_point/buffered.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

enum class SendKind { standard, synchronous, buffered };

int init_send(const char* function, const void* buf, int count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm, SendKind kind, MPI_Request* request) {
  return call(function, comm, [&](RankState& rank) {
    check_pointer(request, "request");
    Operation operation =
        send_operation(rank, buf, count, datatype, dest, tag, comm, kind == SendKind::synchronous);
    operation.buffered = kind == SendKind::buffered;
    *request = make_persistent(rank, operation);
  });
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Send_init", buf, count, datatype, dest, tag, comm,
                           netmod::SendKind::standard, request);
}
NETMOD_PUBLISH(Send_init);

int PMPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Ssend_init", buf, count, datatype, dest, tag, comm,
                           netmod::SendKind::synchronous, request);
}
NETMOD_PUBLISH(Ssend_init);

int PMPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Rsend_init", buf, count, datatype, dest, tag, comm,
                           netmod::SendKind::standard, request);
}
NETMOD_PUBLISH(Rsend_init);

int PMPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Bsend_init", buf, count, datatype, dest, tag, comm,
                           netmod::SendKind::buffered, request);
}
NETMOD_PUBLISH(Bsend_init);

int PMPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return call("MPI_Recv_init", comm, [&](RankState& rank) {
    check_pointer(request, "request");
    *request = netmod::make_persistent(
        rank, netmod::receive_operation(rank, buf, count, datatype, source, tag, comm));
  });
}
NETMOD_PUBLISH(Recv_init);

int PMPI_Start(MPI_Request* request) {
  return call("MPI_Start", [&](RankState& rank) {
    check_pointer(request, "request");
    netmod::start_persistent(rank, netmod::find_request(rank, *request));
  });
}
NETMOD_PUBLISH(Start);

int PMPI_Startall(int count, MPI_Request requests[]) {
  return call("MPI_Startall", [&](RankState& rank) {
    netmod::check_count(count);
    if (count > 0) check_pointer(requests, "requests");
    for (int i = 0; i < count; ++i) {
      netmod::start_persistent(rank, netmod::find_request(rank, requests[i]));
    }
  });
}
NETMOD_PUBLISH(Startall);

int PMPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return call("MPI_Bsend", comm, [&](RankState& rank) {
    netmod::send_buffered(
        rank, netmod::send_operation(rank, buf, count, datatype, dest, tag, comm, false));
  });
}
NETMOD_PUBLISH(Bsend);

int PMPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return call("MPI_Ibsend", comm, [&](RankState& rank) {
    check_pointer(request, "request");
    const netmod::Operation operation =
        netmod::send_operation(rank, buf, count, datatype, dest, tag, comm, false);
    *request =
        netmod::make_buffered_request(rank, operation, netmod::send_buffered(rank, operation));
  });
}
NETMOD_PUBLISH(Ibsend);

int PMPI_Buffer_attach(void* buffer, int size) {
  return call("MPI_Buffer_attach", [&](RankState& rank) {
    netmod::check_count(size, "size");
    check_pointer(buffer, "buffer");
    netmod::AttachedBuffer& attached = rank.requests().attached();
    if (attached.memory != nullptr) {
      netmod::fail(MPI_ERR_BUFFER, "a buffer is attached already");
    }
    attached.memory = buffer;
    attached.size = size;
  });
}
NETMOD_PUBLISH(Buffer_attach);

int PMPI_Buffer_detach(void* buffer, int* size) {
  return call("MPI_Buffer_detach", [&](RankState& rank) {
    check_pointer(buffer, "buffer");
    check_pointer(size, "size");
    const netmod::AttachedBuffer& attached = rank.requests().attached();
    *static_cast<void**>(buffer) = attached.memory;
    *size = static_cast<int>(attached.size);
    netmod::detach_buffer(rank);
  });
}
NETMOD_PUBLISH(Buffer_detach);

}  // extern "C"
