// R1: the receiver grants chunk after chunk, which the sender writes.
#include <algorithm>

#include "netmod/device/between_nodes/rendezvous.h"

namespace netmod {

// ---- the sender

void Rendezvous::write_chunk(Connection& connection, const ControlPacket& cts) {
  RequestImpl& send = named(connection, cts.header.send_request, RequestImpl::Kind::send);
  const std::uint64_t offset = cts.memory.offset;
  if (!send.rendezvous || send.rendezvous->registration == nullptr || offset > send.bytes ||
      cts.header.bytes > send.bytes - offset) {
    port_.fail_peer(connection.peer, "a CTS for bytes that its message does not have");
  }
  send.rendezvous->far_context = cts.header.envelope.context;
  DataDescriptor& descriptor = *port_.take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::write;
  descriptor.connection = &connection;
  descriptor.request = &send;
  descriptor.peer_request = cts.header.receive_request;
  descriptor.gni.local_addr = reinterpret_cast<std::uint64_t>(send.data) + offset;
  descriptor.gni.local_mem_hndl = send.rendezvous->registration->handle;
  descriptor.gni.remote_addr = cts.memory.address;
  descriptor.gni.remote_mem_hndl = cts.memory.handle;
  descriptor.gni.length = cts.header.bytes;
  ++statistics_.writes;
  post(descriptor);
}

// ---- the receiver

void Rendezvous::grant_chunks(Connection& connection, RequestImpl& receive, int most) {
  RendezvousState& state = *receive.rendezvous;
  const auto chunk = static_cast<std::uint64_t>(settings_.parameters->ndreg_maxsize);
  const ActingFor acting(contexts_, receive);
  for (; most > 0 && state.next_offset < state.message_bytes; --most) {
    ControlPacket cts;
    cts.header.kind = PacketKind::cts;
    cts.header.bytes = std::min(chunk, state.message_bytes - state.next_offset);
    cts.header.send_request = state.peer_request;
    cts.header.receive_request = state.name;
    cts.memory.address = reinterpret_cast<std::uint64_t>(receive.data) + state.next_offset;
    cts.memory.handle = state.registration->handle;
    cts.memory.offset = state.next_offset;
    if (contexts_ != nullptr) cts.header.envelope.context = contexts_->of(receive);
    state.next_offset += cts.header.bytes;
    ++statistics_.cts_sent;
    connections_.send_control(connection, cts);
  }
}

void Rendezvous::send_done(Connection& connection, const PacketHeader& header) {
  RequestImpl& receive = named(connection, header.receive_request, RequestImpl::Kind::receive);
  RendezvousState& state = *receive.rendezvous;
  if (header.bytes == 0 || header.bytes > state.next_offset - state.moved) {
    port_.fail_peer(connection.peer, "the end of more than was granted to it");
  }
  state.moved += header.bytes;
  if (state.moved == state.message_bytes) {
    finish_receive(connection, receive);
  } else {
    grant_chunks(connection, receive, 1);
  }
}

}  // namespace netmod
