// MPI functions: persistent requests, buffered sends, probing, what statuses say.
#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/arguments.h"
#include "netmod/mpi/call_scope.h"

namespace netmod {
namespace {

int init_send(const char* function, const void* buf, int count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm, bool synchronous, MPI_Request* request) {
  return call(function, comm, [&](RankState& rank) {
    check_pointer(request, "request");
    *request = make_persistent(
        rank, send_operation(rank, buf, count, datatype, dest, tag, comm, synchronous));
  });
}

Envelope probe_envelope(RankState& rank, int source, int tag, MPI_Comm comm) {
  const Communicator& on = rank.communicator(comm);
  check_source(on, source);
  check_receive_tag(tag);
  return {source, tag, on.message_context()};
}

/// Forgets the buffered messages that are out.
void sweep_buffered(RankState& rank) {
  std::erase_if(rank.attached.pending, [&](AttachedBuffer::Pending& pending) {
    if (!rank.requests.find(pending.request)->done()) return false;
    finish_request(rank, pending.request, MPI_STATUS_IGNORE);
    return true;
  });
}

/// Offset of `bytes` free bytes in the attached buffer, or -1; and their place in the list.
std::int64_t find_room(const AttachedBuffer& buffer, std::int64_t bytes, std::size_t& place) {
  std::int64_t end = 0;
  for (place = 0; place < buffer.pending.size(); ++place) {
    if (buffer.pending[place].offset - end >= bytes) return end;
    end = buffer.pending[place].offset + buffer.pending[place].bytes;
  }
  return buffer.size - end >= bytes ? end : -1;
}

void send_buffered(RankState& rank, Operation operation) {
  if (operation.peer == MPI_PROC_NULL) return;
  const std::int64_t bytes = operation.type.packed_bytes(operation.count);
  const std::int64_t room = bytes + MPI_BSEND_OVERHEAD;
  std::size_t place = 0;
  sweep_buffered(rank);
  std::int64_t offset = find_room(rank.attached, room, place);
  if (offset < 0) {
    rank.device().progress();
    sweep_buffered(rank);
    offset = find_room(rank.attached, room, place);
  }
  if (offset < 0) {
    fail(MPI_ERR_BUFFER, fmt::format("the message needs {} bytes of the attached buffer of {} "
                                     "bytes, which has no such room",
                                     room, rank.attached.size));
  }
  std::byte* copy = static_cast<std::byte*>(rank.attached.memory) + offset;
  pack(operation.type, operation.buffer, operation.count, copy);
  rank.charge_copy(bytes);
  operation.buffer = copy;
  operation.count = bytes;
  operation.type = rank.known_type(MPI_BYTE);
  const MPI_Request request = start_request(rank, operation);
  const auto at = rank.attached.pending.begin() + static_cast<std::ptrdiff_t>(place);
  rank.attached.pending.insert(at, {request, offset, room});
}

void detach_buffer(RankState& rank) {
  rank.wait_until([&rank] {
    sweep_buffered(rank);
    return rank.attached.pending.empty();
  });
  rank.attached = AttachedBuffer();
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Send_init", buf, count, datatype, dest, tag, comm, false, request);
}
NETMOD_PUBLISH(Send_init);

int PMPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Ssend_init", buf, count, datatype, dest, tag, comm, true, request);
}
NETMOD_PUBLISH(Ssend_init);

int PMPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return netmod::init_send("MPI_Rsend_init", buf, count, datatype, dest, tag, comm, false, request);
}
NETMOD_PUBLISH(Rsend_init);

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

int PMPI_Buffer_attach(void* buffer, int size) {
  return call("MPI_Buffer_attach", [&](RankState& rank) {
    netmod::check_count(size, "size");
    check_pointer(buffer, "buffer");
    if (rank.attached.memory != nullptr) {
      netmod::fail(MPI_ERR_BUFFER, "a buffer is attached already");
    }
    rank.attached.memory = buffer;
    rank.attached.size = size;
  });
}
NETMOD_PUBLISH(Buffer_attach);

int PMPI_Buffer_detach(void* buffer, int* size) {
  return call("MPI_Buffer_detach", [&](RankState& rank) {
    check_pointer(buffer, "buffer");
    check_pointer(size, "size");
    *static_cast<void**>(buffer) = rank.attached.memory;
    *size = static_cast<int>(rank.attached.size);
    netmod::detach_buffer(rank);
  });
}
NETMOD_PUBLISH(Buffer_detach);

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Probe", comm, [&](RankState& rank) {
    const netmod::Envelope envelope = netmod::probe_envelope(rank, source, tag, comm);
    if (source == MPI_PROC_NULL) {
      return netmod::set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    }
    netmod::Completion found;
    rank.wait_until([&] { return rank.device().probe(envelope, found); });
    netmod::set_status(status, found);
  });
}
NETMOD_PUBLISH(Probe);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe", comm, [&](RankState& rank) {
    check_pointer(flag, "flag");
    const netmod::Envelope envelope = netmod::probe_envelope(rank, source, tag, comm);
    *flag = 1;
    if (source == MPI_PROC_NULL) {
      return netmod::set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    }
    netmod::Completion found;
    rank.device().progress();
    if (rank.device().probe(envelope, found)) {
      netmod::set_status(status, found);
    } else {
      *flag = 0;
    }
  });
}
NETMOD_PUBLISH(Iprobe);

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return call("MPI_Get_count", [&](RankState& rank) {
    check_pointer(status, "status");
    check_pointer(count, "count");
    const std::int64_t size = rank.type_in_use(datatype).size;
    const auto bytes = static_cast<std::int64_t>(netmod::status_bytes(*status));
    const bool whole = size == 0 ? bytes == 0 : bytes % size == 0;
    const std::int64_t elements = size == 0 ? 0 : bytes / size;
    *count = whole && elements <= INT32_MAX ? static_cast<int>(elements) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Get_count);

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return call("MPI_Get_elements", [&](RankState& rank) {
    check_pointer(status, "status");
    check_pointer(count, "count");
    const std::int64_t elements = netmod::count_elements(
        rank.type_in_use(datatype), static_cast<std::int64_t>(netmod::status_bytes(*status)));
    const bool fits = elements >= 0 && elements <= INT32_MAX;
    *count = fits ? static_cast<int>(elements) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Get_elements);

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return call("MPI_Test_cancelled", [&](RankState&) {
    check_pointer(status, "status");
    check_pointer(flag, "flag");
    *flag = status->count_hi_and_cancelled & 1;
  });
}
NETMOD_PUBLISH(Test_cancelled);

}  // extern "C"
