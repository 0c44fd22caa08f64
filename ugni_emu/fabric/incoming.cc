// The target's side of the wire: streams by sender, and responses.
#include "ugni_emu/fabric/incoming.h"

#include <algorithm>

#include "ugni_emu/fabric/stream.h"

namespace ugni::fabric {

using corespec::Time;

Incoming::Incoming(Carrier& carrier)
    : carrier_(&carrier), streams_(carrier.links.layout().host.size()) {}
Incoming::~Incoming() = default;

Incoming::Stream& Incoming::stream(int rank, std::size_t injector) {
  auto& of_rank = streams_[static_cast<std::size_t>(rank)];
  if (injector >= of_rank.size()) of_rank.resize(injector + 1);
  auto& stream = of_rank[injector];
  if (stream == nullptr) stream = std::make_unique<Stream>(*this, rank);
  return *stream;
}

void Incoming::request(const RequestMessage& request, std::span<const std::byte> data) {
  const std::uint64_t entering = carries(request.transaction.kind) ? request.length : 0;
  Stream& own = stream(request.head.rank, request.transaction.injector);
  if (const Fault fault = own.fault_in(request)) {
    carrier_->faults.faulty(request.head.rank, fault);
    return;
  }
  const Time due = carrier_->delays.ejected(Time::picoseconds(request.due), entering);
  own.accept(request, data, due);
}

void Incoming::data(const DataMessage& message, std::span<const std::byte> bytes) {
  const int rank = message.head.rank;
  if (carrier_->links.is_lost(rank)) return;  // nothing waits for it any more
  if (const Fault fault = stream(rank, message.injector).take_data(message, bytes)) {
    carrier_->faults.faulty(rank, fault);
  }
}

void Incoming::from_self(const RequestMessage& request, Payload payload) {
  stream(carrier_->rank(), request.transaction.injector)
      .accept_later(request, std::move(payload), Time::picoseconds(request.due));
}

void Incoming::movement_ended(Movement& movement, bool well) {
  static_cast<Stream&>(movement).ended(well);
}

bool Incoming::retry() {
  const std::vector<Stream*> blocked = std::exchange(blocked_, {});
  for (Stream* stream : blocked) stream->retry();
  return blocked_.size() < blocked.size();
}

void Incoming::acknowledge(int rank, Acknowledgement acknowledgement, std::uint64_t length,
                           ResponseUrgency urgency) {
  if (acknowledgement.number == 0) return;  // no post waits for it
  acknowledgement.flags |= ResponseMessage::last;
  if (rank == carrier_->rank()) {
    ResponseMessage response;
    response.head.flags = acknowledgement.flags;
    response.number = acknowledgement.number;
    response.due = acknowledgement.due;
    response.length = length;
    response.status = acknowledgement.status;
    answer_(response, {});
    return;
  }
  if (!is_done(acknowledgement.status)) urgency = ResponseUrgency::wakes;
  const bool patient = urgency == ResponseUrgency::whenever;
  if (patient) acknowledgement.flags |= ResponseMessage::patient;
  // Where no thread polls, it may be long before one comes by again.
  const bool leaves = !patient || carrier_->links.is_armed();
  carrier_->acknowledgements.add(rank, acknowledgement, leaves, urgency == ResponseUrgency::wakes);
}

void Incoming::respond(int rank, const ResponseMessage& response, Payload payload,
                       ResponseUrgency urgency) {
  if (response.number == 0) return;
  if (rank == carrier_->rank()) {
    answer_(response, std::move(payload));
    return;
  }
  const bool wakes = urgency == ResponseUrgency::wakes || !is_done(response.status);
  Buffer& buffer = carrier_->links.compose(rank);
  put_fixed(buffer.bytes, response);
  const auto data = std::as_const(payload).bytes();
  if (!data.empty()) std::memcpy(buffer.bytes + sizeof response, data.data(), data.size());
  buffer.size = sizeof response + data.size();
  carrier_->links.send(rank, buffer, wakes);
}

void Incoming::lost(int rank) {
  for (const auto& stream : streams_[static_cast<std::size_t>(rank)]) {
    if (stream != nullptr) stream->drop();
  }
}

}  // namespace ugni::fabric
