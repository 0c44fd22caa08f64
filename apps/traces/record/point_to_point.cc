// Messages and their requests.
#include "apps/traces/record/timed.h"

using namespace dumpi_record;

namespace {

/// Of a call that makes a request.
int new_request(int code, const MPI_Request* request) {
  return code == MPI_SUCCESS ? Recorder::own().handles.requests.add(*request) : 0;
}

}  // namespace

extern "C" {

#define BLOCKING_SEND(name)                                                                  \
  int MPI_##name(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,       \
                 MPI_Comm handle) {                                                          \
    Timed call(Label::name);                                                                 \
    const int code = call.returned(PMPI_##name(buf, count, datatype, dest, tag, handle));    \
    if (code != MPI_SUCCESS) return call.record(code, {});                                   \
    return call.record(code, {count, type(datatype), rank_number(dest), tag, comm(handle)}); \
  }
BLOCKING_SEND(Send)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)

#define REQUESTED(name, constness, peer)                                                           \
  int MPI_##name(constness void* buf, int count, MPI_Datatype datatype, int peer, int tag,         \
                 MPI_Comm handle, MPI_Request* request) {                                          \
    Timed call(Label::name);                                                                       \
    const int code = call.returned(PMPI_##name(buf, count, datatype, peer, tag, handle, request)); \
    if (code != MPI_SUCCESS) return call.record(code, {});                                         \
    return call.record(code, {count, type(datatype), rank_number(peer), tag, comm(handle),         \
                              new_request(code, request)});                                        \
  }
REQUESTED(Isend, const, dest)
REQUESTED(Ibsend, const, dest)
REQUESTED(Issend, const, dest)
REQUESTED(Irsend, const, dest)
REQUESTED(Irecv, , source)
REQUESTED(Send_init, const, dest)
REQUESTED(Bsend_init, const, dest)
REQUESTED(Ssend_init, const, dest)
REQUESTED(Rsend_init, const, dest)
REQUESTED(Recv_init, , source)

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle,
             MPI_Status* given) {
  Timed call(Label::Recv);
  const int code = call.returned(PMPI_Recv(buf, count, datatype, source, tag, handle, given));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(
      code, {count, type(datatype), rank_number(source), tag, comm(handle), status(given)});
}

int MPI_Wait(MPI_Request* request, MPI_Status* given) {
  Timed call(Label::Wait);
  const Requests requests(request, 1);
  const int code = call.returned(PMPI_Wait(request, given));
  return call.record(code, {requests.numbers().front(), status(given)});
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* given) {
  Timed call(Label::Test);
  const Requests requests(request, 1);
  const int code = call.returned(PMPI_Test(request, flag, given));
  if (code == MPI_SUCCESS && *flag == 0) {
    call.ignore();
    return code;
  }
  return call.record(code, {requests.numbers().front(), *flag, status(given)});
}

int MPI_Request_free(MPI_Request* request) {
  Timed call(Label::Request_free);
  const Requests requests(request, 1);
  const int code = call.returned(PMPI_Request_free(request));
  return call.record(code, {requests.numbers().front()});
}

int MPI_Cancel(MPI_Request* request) {
  Timed call(Label::Cancel);
  const Requests requests(request, 1);
  const int code = call.returned(PMPI_Cancel(request));
  return call.record(code, {requests.numbers().front()});
}

int MPI_Waitany(int count, MPI_Request all[], int* index, MPI_Status* given) {
  Timed call(Label::Waitany);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Waitany(count, all, index, given));
  return call.record(code, {count, requests.numbers(), *index, status(given)});
}

int MPI_Testany(int count, MPI_Request all[], int* index, int* flag, MPI_Status* given) {
  Timed call(Label::Testany);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Testany(count, all, index, flag, given));
  if (code == MPI_SUCCESS && *flag == 0) {
    call.ignore();
    return code;
  }
  return call.record(code, {count, requests.numbers(), *index, *flag, status(given)});
}

int MPI_Waitall(int count, MPI_Request all[], MPI_Status given[]) {
  Timed call(Label::Waitall);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Waitall(count, all, given));
  return call.record(code, {count, requests.numbers(), statuses(given, count, code)});
}

int MPI_Testall(int count, MPI_Request all[], int* flag, MPI_Status given[]) {
  Timed call(Label::Testall);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Testall(count, all, flag, given));
  if (code == MPI_SUCCESS && *flag == 0) {
    call.ignore();
    return code;
  }
  return call.record(code, {count, requests.numbers(), *flag, statuses(given, count, code)});
}

// That no request was active (MPI_UNDEFINED) has no indices.
int MPI_Waitsome(int count, MPI_Request all[], int* outcount, int indices[], MPI_Status given[]) {
  Timed call(Label::Waitsome);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Waitsome(count, all, outcount, indices, given));
  return call.record(code, {count, requests.numbers(), *outcount, numbers(indices, *outcount),
                            statuses(given, *outcount, code)});
}

int MPI_Testsome(int count, MPI_Request all[], int* outcount, int indices[], MPI_Status given[]) {
  Timed call(Label::Testsome);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Testsome(count, all, outcount, indices, given));
  if (code == MPI_SUCCESS && *outcount == 0) {
    call.ignore();
    return code;
  }
  return call.record(code, {count, requests.numbers(), *outcount, numbers(indices, *outcount),
                            statuses(given, *outcount, code)});
}

int MPI_Start(MPI_Request* request) {
  Timed call(Label::Start);
  const Requests requests(request, 1);
  const int code = call.returned(PMPI_Start(request));
  return call.record(code, {requests.numbers().front()});
}

int MPI_Startall(int count, MPI_Request all[]) {
  Timed call(Label::Startall);
  const Requests requests(all, count);
  const int code = call.returned(PMPI_Startall(count, all));
  return call.record(code, {count, requests.numbers()});
}

int MPI_Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* given) {
  Timed call(Label::Iprobe);
  const int code = call.returned(PMPI_Iprobe(source, tag, handle, flag, given));
  if (code != MPI_SUCCESS || *flag == 0) {
    call.ignore();
    return code;
  }
  return call.record(code, {rank_number(source), tag, comm(handle), *flag, status(given)});
}

int MPI_Probe(int source, int tag, MPI_Comm handle, MPI_Status* given) {
  Timed call(Label::Probe);
  const int code = call.returned(PMPI_Probe(source, tag, handle, given));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {rank_number(source), tag, comm(handle), status(given)});
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm handle, MPI_Status* given) {
  Timed call(Label::Sendrecv);
  const int code =
      call.returned(PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                                  recvtype, source, recvtag, handle, given));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(
      code, {sendcount, type(sendtype), rank_number(dest), sendtag, recvcount, type(recvtype),
             rank_number(source), recvtag, comm(handle), status(given)});
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm handle, MPI_Status* given) {
  Timed call(Label::Sendrecv_replace);
  const int code = call.returned(
      PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, given));
  if (code != MPI_SUCCESS) return call.record(code, {});
  return call.record(code, {count, type(datatype), rank_number(dest), sendtag, rank_number(source),
                            recvtag, comm(handle), status(given)});
}

}  // extern "C"
