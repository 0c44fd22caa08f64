// MPI functions: probing, and receiving what a probe took.
#include <utility>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"
#include "netmod/mpi/point_to_point/awaited_messages.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

Envelope probe_envelope(RankState& rank, int source, int tag, MPI_Comm comm) {
  const Communicator& on = rank.communicators().named(comm);
  check_source(on, source);
  check_receive_tag(tag);
  return {source, tag, on.message_context()};
}

void set_nobody_status(MPI_Status* status) {
  set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
}

MPI_Message add_message(RankState& rank, TakenMessage* taken, MPI_Comm comm) {
  MPI_Message handle = MPI_MESSAGE_NULL;
  MatchedMessage* made = rank.requests().messages().add(handle);
  if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many messages");
  *made = {taken, comm};
  return handle;
}

/// The receive of a message, which it takes out of its handle.
Operation matched_operation(RankState& rank, void* buffer, int count, MPI_Datatype datatype,
                            MPI_Message* message) {
  check_pointer(message, "message");
  check_count(count);
  Operation operation;
  operation.buffer = buffer;
  operation.count = count;
  operation.type = rank.datatypes().in_use(datatype, count);
  operation.receive = true;
  check_buffer(buffer, count, operation.type);
  if (*message != MPI_MESSAGE_NO_PROC) {
    const MatchedMessage* found = rank.requests().messages().find(*message);
    if (found == nullptr) {
      fail_handle(MPI_ERR_REQUEST, *message, MPI_MESSAGE_NULL, "message", "MPI_MESSAGE_NULL",
                  "a message");
    }
    operation.peer = 0;
    operation.comm = found->comm;
    operation.taken = found->message;
    rank.requests().messages().remove(*message);
  }
  *message = MPI_MESSAGE_NULL;
  return operation;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;

extern "C" {

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Probe", comm, [&](RankState& rank) {
    check_pointer(status, "status");
    const netmod::Envelope envelope = netmod::probe_envelope(rank, source, tag, comm);
    if (source == MPI_PROC_NULL) {
      return netmod::set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    }
    netmod::Completion found;
    const netmod::AwaitedMessage for_people(rank, envelope);
    rank.wait_until([&] { return rank.device().probe(envelope, found); });
    netmod::set_status(status, found);
  });
}
NETMOD_PUBLISH(Probe);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe", comm, [&](RankState& rank) {
    check_pointer(flag, "flag");
    check_pointer(status, "status");
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

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return call("MPI_Mprobe", comm, [&](RankState& rank) {
    check_pointer(message, "message");
    check_pointer(status, "status");
    const netmod::Envelope envelope = netmod::probe_envelope(rank, source, tag, comm);
    if (source == MPI_PROC_NULL) {
      *message = MPI_MESSAGE_NO_PROC;
      return netmod::set_nobody_status(status);
    }
    netmod::Completion found;
    netmod::TakenMessage* taken = nullptr;
    const netmod::AwaitedMessage for_people(rank, envelope);
    rank.wait_until([&] {
      if (taken == nullptr) taken = rank.device().take(envelope, found);
      return taken != nullptr;
    });
    *message = netmod::add_message(rank, taken, comm);
    netmod::set_status(status, found);
  });
}
NETMOD_PUBLISH(Mprobe);

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                 MPI_Status* status) {
  return call("MPI_Improbe", comm, [&](RankState& rank) {
    check_pointer(flag, "flag");
    check_pointer(message, "message");
    check_pointer(status, "status");
    const netmod::Envelope envelope = netmod::probe_envelope(rank, source, tag, comm);
    *flag = 1;
    if (source == MPI_PROC_NULL) {
      *message = MPI_MESSAGE_NO_PROC;
      return netmod::set_nobody_status(status);
    }
    netmod::Completion found;
    rank.device().progress();
    if (netmod::TakenMessage* taken = rank.device().take(envelope, found)) {
      *message = netmod::add_message(rank, taken, comm);
      netmod::set_status(status, found);
    } else {
      *flag = 0;
      *message = MPI_MESSAGE_NULL;
    }
  });
}
NETMOD_PUBLISH(Improbe);

int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Status* status) {
  return call("MPI_Mrecv", [&](RankState& rank) {
    check_pointer(status, "status");
    netmod::run_receive(rank, netmod::matched_operation(rank, buf, count, datatype, message),
                        status);
  });
}
NETMOD_PUBLISH(Mrecv);

int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                MPI_Request* request) {
  return call("MPI_Imrecv", [&](RankState& rank) {
    check_pointer(request, "request");
    *request =
        netmod::start_request(rank, netmod::matched_operation(rank, buf, count, datatype, message));
  });
}
NETMOD_PUBLISH(Imrecv);

MPI_Fint PMPI_Message_c2f(MPI_Message message) { return message; }
NETMOD_PUBLISH(Message_c2f);

MPI_Message PMPI_Message_f2c(MPI_Fint message) { return message; }
NETMOD_PUBLISH(Message_f2c);

}  // extern "C"
