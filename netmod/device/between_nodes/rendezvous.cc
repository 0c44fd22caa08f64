// Rendezvous between nodes: what R0 and R1 have in common, from the RTS to the end.
#include "netmod/device/between_nodes/rendezvous.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "netmod/device/messages/observed_message.h"

namespace netmod {
Rendezvous::Rendezvous(const Settings& settings, RankPort& port, Connections& connections,
                       rma::RegistrationCache& cache, RequestNames& names,
                       DeviceStatistics& statistics, const MessageContexts* contexts,
                       CompletionClient& client)
    : settings_(settings),
      port_(port),
      connections_(connections),
      cache_(cache),
      names_(names),
      statistics_(statistics),
      contexts_(contexts),
      client_(client) {}

rma::CachedRegistration* Rendezvous::registration(const void* data, std::uint64_t bytes, Use use) {
  rma::CachedRegistration* const found = cache_.acquire(data, bytes);
  if (found == nullptr) port_.fail_memory(data, bytes, cache_.failure());
  if (use == Use::written && found->read_only) {
    port_.fail_memory(data, bytes, GNI_RC_PERMISSION_ERROR);
  }
  return found;
}

// ---- the sender

bool Rendezvous::announce(Connection& connection, RequestImpl& send) {
  if (!send.rendezvous) send.rendezvous = std::make_unique<RendezvousState>();
  RendezvousState& state = *send.rendezvous;
  if (state.name == 0) state.name = names_.add(send);
  if (state.registration == nullptr) {
    corespec::charge(settings_.parameters->lmt_setup);
    if (send.bytes != 0) state.registration = registration(send.data, send.bytes, Use::read);
  }
  ControlPacket packet;
  packet.header.kind = PacketKind::rts;
  packet.header.envelope = send.envelope;
  packet.header.bytes = send.bytes;
  packet.header.send_request = state.name;
  packet.header.tail_bytes = static_cast<std::uint8_t>(send.bytes % word);
  packet.header.without_data = send.without_data();
  std::memcpy(packet.header.tail, send.last_bytes(send.bytes % word), send.bytes % word);
  packet.memory.address = reinterpret_cast<std::uint64_t>(send.data);
  if (contexts_ != nullptr) packet.memory.offset = contexts_->of(send);
  if (state.registration != nullptr) packet.memory.handle = state.registration->handle;
  const ActingFor acting(contexts_, send);
  return connections_.send_rts(connection, packet);
}

RequestImpl& Rendezvous::named(const Connection& connection, std::uint64_t name,
                               RequestImpl::Kind kind) const {
  RequestImpl* const request = names_.find(name);
  if (request == nullptr || request->kind != kind || request->peer != connection.peer) {
    port_.fail_peer(connection.peer, "the name of a request that it was not given");
  }
  return *request;
}

void Rendezvous::ask_back(Connection& connection, const RequestImpl& send) {
  ControlPacket packet;
  packet.header.kind = PacketKind::cancel;
  packet.header.send_request = send.rendezvous->name;
  connections_.send_control(connection, packet);
}

void Rendezvous::recall(Connection& connection, RequestImpl& request, std::uint32_t wanted) {
  ControlPacket packet;
  packet.header.kind = PacketKind::recall;
  packet.header.send_request = names_.add(request);
  packet.header.receive_request = wanted;
  connections_.send_control(connection, packet);
}

// ---- the receiver

void Rendezvous::accept(Connection& connection, RequestImpl& receive, const PacketHeader& header,
                        const MemoryReference& source) {
  if (header.tail_bytes != header.bytes % word) {
    port_.fail_peer(connection.peer, "an RTS with another number of bytes at its end");
  }
  corespec::charge(settings_.parameters->lmt_setup);
  receive.peer = connection.peer;
  receive.match(header.envelope, header.bytes > receive.bytes);
  receive.rendezvous = std::make_unique<RendezvousState>();
  RendezvousState& state = *receive.rendezvous;
  state.name = names_.add(receive);
  state.peer_request = header.send_request;
  state.far_context = static_cast<std::uint32_t>(source.offset);
  state.message_bytes = std::min(header.bytes, receive.bytes);
  if (state.message_bytes == 0) {
    finish_receive(connection, receive);
    return;
  }
  state.registration = registration(receive.data, state.message_bytes, Use::written);
  if (readable(connection, receive, source)) {
    read(connection, receive, header, source);
  } else {
    grant_chunks(connection, receive, static_cast<int>(settings_.parameters->lmt_chunks));
  }
}

void Rendezvous::finish_receive(Connection& connection, RequestImpl& receive) {
  RendezvousState& state = *receive.rendezvous;
  cache_.release(state.registration);
  state.registration = nullptr;
  names_.remove(state.name);
  ControlPacket done;
  done.header.kind = PacketKind::receive_done;
  done.header.send_request = state.peer_request;
  ++statistics_.receive_dones;
  {
    const ActingFor acting(contexts_, receive);
    connections_.send_control(connection, done);
  }
  if (contexts_ != nullptr) {
    contexts_->log()->received(connection.peer, MessageContexts::message_of(receive),
                               contexts_->of(receive));
  }
  observe_received(corespec::this_thread().node().domain(), connection.peer, PacketKind::rts,
                   state.peer_request, state.message_bytes,
                   state.next_offset == 0 ? protocol::r0 : protocol::r1);
  receive.finish_matched(state.message_bytes);
  client_.request_complete(receive);
}

// ---- both

void Rendezvous::control_arrived(Connection& connection, const ControlPacket& packet) {
  corespec::charge(settings_.parameters->control_message);
  switch (packet.header.kind) {
    case PacketKind::cts:
      write_chunk(connection, packet);
      break;
    case PacketKind::send_done:
      send_done(connection, packet.header);
      break;
    case PacketKind::receive_done:
    case PacketKind::kept: {
      const std::uint64_t name = packet.header.send_request;
      RequestImpl& send = named(connection, name, RequestImpl::Kind::send);
      end(send, name);
      send.finish_sent();
      client_.request_complete(send);
      break;
    }
    case PacketKind::cancelled: {
      const std::uint64_t name = packet.header.send_request;
      RequestImpl& send = named(connection, name, RequestImpl::Kind::send);
      end(send, name);
      send.rendezvous.reset();
      send.finish_cancelled();
      client_.request_complete(send);
      break;
    }
    // What carries an envelope, or is the connection's or the device's own.
    case PacketKind::none:
    case PacketKind::eager:
    case PacketKind::rts:
    case PacketKind::cancel:
    case PacketKind::recall:
    case PacketKind::credits:
      break;
  }
}

/// The peer has had its last word on a send.
void Rendezvous::end(RequestImpl& send, std::uint64_t name) {
  names_.remove(name);
  if (!send.rendezvous) return;  // it asked for another message
  cache_.release(send.rendezvous->registration);
  send.rendezvous->registration = nullptr;
}

bool Rendezvous::try_post(DataDescriptor& descriptor) {
  const ActingFor acting(contexts_, *descriptor.request);
  return port_.post_data(descriptor.connection->endpoint(), descriptor);
}

void Rendezvous::post(DataDescriptor& descriptor) {
  if (unposted_.empty() && try_post(descriptor)) return;
  unposted_.push_back(&descriptor);
}

bool Rendezvous::retry() {
  std::size_t posted = 0;
  while (posted < unposted_.size() && try_post(*unposted_[posted])) ++posted;
  unposted_.erase(unposted_.begin(), unposted_.begin() + static_cast<std::ptrdiff_t>(posted));
  return posted != 0;
}

void Rendezvous::data_failed(gni_cq_entry_t entry, DataDescriptor& descriptor) {
  port_.check_failure(entry, descriptor);
  post(descriptor);
}

void Rendezvous::data_done(DataDescriptor& descriptor) {
  if (descriptor.purpose == DataDescriptor::Purpose::read) {
    finish_receive(*descriptor.connection, *descriptor.request);
    return;
  }
  ControlPacket done;
  done.header.kind = PacketKind::send_done;
  done.header.bytes = descriptor.gni.length;
  done.header.receive_request = descriptor.peer_request;
  ++statistics_.send_dones;
  const ActingFor acting(contexts_, *descriptor.request);
  connections_.send_control(*descriptor.connection, done);
}

}  // namespace netmod
