// How messages meet receives: at once, as unexpected messages later, into memory or a sink.
#include <algorithm>
#include <utility>

#include "corespec/host/without_data.h"
#include "netmod/device/messages/observed_message.h"
#include "netmod/device/progress/device_impl.h"

namespace netmod {

RequestImpl& DeviceImpl::new_receive(void* data, std::size_t capacity, const Envelope& envelope) {
  RequestImpl& request = *requests_.take();
  request.kind = RequestImpl::Kind::receive;
  request.envelope = envelope;
  request.data = static_cast<std::byte*>(data);
  request.bytes = capacity;
  if (settings_.tracks) [[unlikely]]
    contexts_.begin(request);
  return request;
}

Request* DeviceImpl::receive(void* data, std::size_t capacity, const Envelope& envelope) {
  return start_receive(new_receive(data, capacity, envelope));
}

Request* DeviceImpl::receive(Sink& sink, std::size_t capacity, const Envelope& envelope) {
  RequestImpl& request = new_receive(nullptr, capacity, envelope);
  request.has_sink = true;
  request.sink = &sink;
  return start_receive(request);
}

Request* DeviceImpl::start_receive(RequestImpl& request) {
  std::unique_ptr<Unexpected> message = matching_.match_unexpected(request.envelope);
  if (!message) {
    matching_.post(request);
  } else {
    receive_unexpected(request, std::move(message));
  }
  return &request;
}

void DeviceImpl::receive_unexpected(RequestImpl& receive, std::unique_ptr<Unexpected> message) {
  check_data(receive, message->peer, message->header);
  if (message->header.kind == PacketKind::eager) {
    if (!take_eager(receive, message->peer, message->intra_node, message->header,
                    message->data())) {
      keep(receive, std::move(message));
      return;
    }
    const corespec::EventDomain::Hold hold(domain_);  // the payload's pool belongs to it
    message.reset();
  } else {
    accept_rendezvous(receive, message->peer, message->intra_node, message->header,
                      message->memory);
    // In a call of the listener: the pass that it hears of waits for them.
    if (!tells_listener_) finish_fma_gets();
  }
}

/// Ends the job if one side has memory without data and the other has not.
void DeviceImpl::check_data(const RequestImpl& receive, int peer, const PacketHeader& header) {
  if (receive.without_data() == header.without_data || header.bytes == 0 || receive.bytes == 0) {
    return;
  }
  port_.fail_message(peer, header.bytes,
                     header.without_data
                         ? "has no data, but the memory that receives it is for data"
                         : "has data, but the memory that receives it is without data");
}

/// False: its sink does not take the data now.
bool DeviceImpl::take_eager(RequestImpl& receive, int peer, bool intra_node,
                            const PacketHeader& header, const std::byte* data) {
  const std::uint64_t bytes = std::min(header.bytes, receive.bytes);
  corespec::charge(settings_.copy_time(bytes));
  bool taken = true;
  if (receive.has_sink) {
    taken = receive.sink->take(data, bytes);
  } else {
    corespec::without_data::copy(receive.data, data, bytes);
  }
  observe_received(domain_, peer, PacketKind::eager, header.send_request, bytes,
                   intra_node ? protocol::within_node : eager_protocol(header.bytes));
  if (settings_.tracks) [[unlikely]] {
    contexts_.log()->received(peer, message_key(PacketKind::eager, header.send_request),
                              contexts_.of(receive));
  }
  receive.finish(header.envelope.source, header.envelope.tag, bytes, header.bytes > receive.bytes);
  request_complete(receive);
  return taken;
}

void DeviceImpl::keep(RequestImpl& receive, std::unique_ptr<Unexpected> message) {
  receive.kept = matching_.keep(std::move(message));
  receive.keeps = true;
}

void DeviceImpl::hand_over(Request& request) {
  auto& receive = static_cast<RequestImpl&>(request);
  if (!receive.keeps) return;
  receive.keeps = false;
  std::unique_ptr<Unexpected> message = matching_.give_back(receive.kept);
  receive.next = nullptr;
  receive.sink->take(message->data(), receive.bytes);
  const corespec::EventDomain::Hold hold(domain_);  // as above
  message.reset();
}

void DeviceImpl::accept_rendezvous(RequestImpl& receive, int peer, bool intra_node,
                                   const PacketHeader& header, const MemoryReference& memory) {
  if (receive.has_sink) {
    receive.has_sink = false;
    receive.data = receive.sink->room(receive.bytes);
  }
  if (intra_node) {
    shared_.accept(peer, receive, header, memory);
  } else {
    rendezvous_.accept(connections_.to(peer), receive, header, memory);
  }
}

void DeviceImpl::envelope_arrived(Connection& connection, const PacketHeader& header,
                                  const MemoryReference& memory, const std::byte* data,
                                  ugni::Payload& holder) {
  if (settings_.tracks) [[unlikely]] {
    contexts_.log()->packet_is(connection.peer, message_key(header.kind, header.send_request));
  }
  arrived(connection.peer, false, header, memory, data, &holder);
}

void DeviceImpl::local_envelope_arrived(int peer, const PacketHeader& header,
                                        const MemoryReference& memory, const std::byte* data,
                                        ugni::Payload* holder) {
  arrived(peer, true, header, memory, data, holder);
}

void DeviceImpl::arrived(int peer, bool intra_node, const PacketHeader& header,
                         const MemoryReference& memory, const std::byte* data,
                         ugni::Payload* holder) {
  corespec::charge(settings_.parameters->mpi_recv);
  const bool eager = header.kind == PacketKind::eager;
  if (RequestImpl* receive = matching_.match_posted(header.envelope)) {
    check_data(*receive, peer, header);
    if (!eager) {
      accept_rendezvous(*receive, peer, intra_node, header, memory);
    } else if (!take_eager(*receive, peer, intra_node, header, data)) {
      keep(*receive, std::make_unique<Unexpected>(peer, intra_node, header, data, holder));
    }
    return;
  }
  if (eager) corespec::charge(settings_.copy_time(header.bytes));  // even if the host need not copy
  auto message = eager ? std::make_unique<Unexpected>(peer, intra_node, header, data, holder)
                       : std::make_unique<Unexpected>(peer, intra_node, header, memory);
  matching_.add_unexpected(std::move(message));
}

bool DeviceImpl::probe(const Envelope& envelope, Completion& found) {
  const Unexpected* message = matching_.find_unexpected(envelope);
  if (message == nullptr) return false;
  found = Completion{message->header.envelope.source, message->header.envelope.tag,
                     message->header.bytes, false, false};
  return true;
}

TakenMessage* DeviceImpl::take(const Envelope& envelope, Completion& found) {
  if (!probe(envelope, found)) return nullptr;
  return matching_.keep(matching_.match_unexpected(envelope));
}

// ---- for people

PendingMessage DeviceImpl::pending(const Request& request) const {
  const auto& its = static_cast<const RequestImpl&>(request);
  PendingMessage message;
  message.bytes = its.bytes;
  message.envelope = its.envelope;
  if (its.kind == RequestImpl::Kind::send) {
    message.peer = its.peer;
  } else {
    message.kind = PendingMessage::Kind::receive;
    message.met = !its.queued;
  }
  return message;
}

void DeviceImpl::visit_pending(const Condition* awaited, const Visit& visit) const {
  requests_.for_each([&](const RequestImpl& request) {
    if (request.complete()) return;
    const bool send_under_way = request.kind == RequestImpl::Kind::send && request.peer >= 0;
    if (awaited != nullptr ? request.awaited_by(*awaited) : send_under_way) {
      visit(pending(request));
    }
  });
}

void DeviceImpl::visit_unexpected(const Visit& visit) const {
  for (const Unexpected* message = matching_.first_unexpected(); message != nullptr;
       message = message->next.get()) {
    visit({PendingMessage::Kind::unexpected, false, -1, message->header.bytes,
           message->header.envelope});
  }
}

// ----

Request* DeviceImpl::receive_taken(void* data, std::size_t capacity, TakenMessage* message) {
  std::unique_ptr<Unexpected> taken = matching_.give_back(message);
  RequestImpl& request = new_receive(data, capacity, taken->header.envelope);
  receive_unexpected(request, std::move(taken));
  return &request;
}

}  // namespace netmod
