// Sends, receives, probes.
#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using StartSend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
using StartReceive = int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

int length_of(const ReplayedRank& rank, const Call& call) {
  return rank.bytes(call, "count", "datatype");
}

template <Send function>
void send(ReplayedRank& rank, const Call& call) {
  const int length = length_of(rank, call);
  function(rank.memory(length), length, MPI_BYTE, rank.dest(call), call.number("tag"),
           rank.comm(call));
}

template <StartSend function, bool is_persistent>
void start_send(ReplayedRank& rank, const Call& call) {
  const int length = length_of(rank, call);
  MPI_Request request = MPI_REQUEST_NULL;
  function(rank.memory(length), length, MPI_BYTE, rank.dest(call), call.number("tag"),
           rank.comm(call), &request);
  rank.keep(call.number("request"), request, is_persistent);
}

template <StartReceive function, bool is_persistent>
void start_receive(ReplayedRank& rank, const Call& call) {
  const int length = length_of(rank, call);
  const ReplayedRank::Source from = rank.source(call, "tag", false);
  MPI_Request request = MPI_REQUEST_NULL;
  function(rank.memory(length), length, MPI_BYTE, from.rank, from.tag, rank.comm(call), &request);
  rank.keep(call.number("request"), request, is_persistent);
}

void receive(ReplayedRank& rank, const Call& call) {
  const int length = length_of(rank, call);
  const ReplayedRank::Source from = rank.source(call, "tag", true);
  MPI_Recv(rank.memory(length), length, MPI_BYTE, from.rank, from.tag, rank.comm(call),
           MPI_STATUS_IGNORE);
}

void probe(ReplayedRank& rank, const Call& call) {
  const ReplayedRank::Source from = rank.source(call, "tag", true);
  MPI_Probe(from.rank, from.tag, rank.comm(call), MPI_STATUS_IGNORE);
}

/// One that found a message finds it here, too.
void iprobe(ReplayedRank& rank, const Call& call) {
  if (call.number("flag") != 0) {
    probe(rank, call);
    return;
  }
  const ReplayedRank::Source from = rank.source(call, "tag", true);
  int flag = 0;
  MPI_Iprobe(from.rank, from.tag, rank.comm(call), &flag, MPI_STATUS_IGNORE);
}

void start_one(ReplayedRank& rank, std::int32_t number, std::size_t place) {
  if (rank.leaves_out(Half::send, place) || rank.leaves_out(Half::receive, place)) return;
  if (MPI_Request* const request = rank.find(number)) MPI_Start(request);
}

void start(ReplayedRank& rank, const Call& call) { start_one(rank, call.number("request"), 0); }

void start_all(ReplayedRank& rank, const Call& call) {
  const auto numbers = call.numbers("requests");
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    start_one(rank, numbers[place], place);
  }
}

void sendrecv(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  const int in = rank.bytes(call, "recvcount", "recvtype");
  const ReplayedRank::Source from = rank.source(call, "recvtag", true);
  MPI_Sendrecv(rank.memory(out), out, MPI_BYTE, rank.dest(call), call.number("sendtag"),
               rank.memory(in), in, MPI_BYTE, from.rank, from.tag, rank.comm(call),
               MPI_STATUS_IGNORE);
}

/// On memory with data: the library copies it.
void sendrecv_replace(ReplayedRank& rank, const Call& call) {
  const int length = length_of(rank, call);
  const ReplayedRank::Source from = rank.source(call, "recvtag", true);
  MPI_Sendrecv_replace(rank.values(static_cast<std::size_t>(length)), length, MPI_BYTE,
                       rank.dest(call), call.number("sendtag"), from.rank, from.tag,
                       rank.comm(call), MPI_STATUS_IGNORE);
}

}  // namespace

std::span<const ReplayedCall> message_calls() {
  // Buffered sends would need the program's buffer; of a ready one the receive may come later than
  // in the trace.
  static constexpr ReplayedCall all[] = {
      {Label::Send, send<MPI_Send>},
      {Label::Bsend, send<MPI_Send>},
      {Label::Rsend, send<MPI_Send>},
      {Label::Ssend, send<MPI_Ssend>},
      {Label::Isend, start_send<MPI_Isend, false>},
      {Label::Ibsend, start_send<MPI_Isend, false>},
      {Label::Irsend, start_send<MPI_Isend, false>},
      {Label::Issend, start_send<MPI_Issend, false>},
      {Label::Send_init, start_send<MPI_Send_init, true>},
      {Label::Bsend_init, start_send<MPI_Send_init, true>},
      {Label::Rsend_init, start_send<MPI_Send_init, true>},
      {Label::Ssend_init, start_send<MPI_Ssend_init, true>},
      {Label::Recv, receive},
      {Label::Irecv, start_receive<MPI_Irecv, false>},
      {Label::Recv_init, start_receive<MPI_Recv_init, true>},
      {Label::Probe, probe},
      {Label::Iprobe, iprobe},
      {Label::Start, start},
      {Label::Startall, start_all},
      {Label::Sendrecv, sendrecv},
      {Label::Sendrecv_replace, sendrecv_replace},
  };
  return all;
}

}  // namespace replay
