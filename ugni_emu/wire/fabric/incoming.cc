// The target's side of the wire: streams by sender, and responses.
#include "ugni_emu/wire/fabric/incoming.h"

#include <algorithm>

#include "ugni_emu/wire/fabric/stream.h"

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
  const bool direct = (request.head.flags & RequestMessage::direct) != 0;
  const bool brings = request.transaction.kind == TransactionKind::put ||
                      request.transaction.kind == TransactionKind::message ||
                      request.transaction.kind == TransactionKind::datagram;
  const std::uint64_t entering = brings ? request.length : 0;
  if (brings && !direct && data.size() != request.length) return;  // not one of ours
  const Time due = carrier_->delays.ejected(Time::picoseconds(request.due), entering);
  stream(request.head.rank, request.transaction.injector).accept(request, data, due);
}

void Incoming::from_self(const RequestMessage& request, Payload payload) {
  stream(carrier_->rank(), request.transaction.injector)
      .accept_later(request, std::move(payload), Time::picoseconds(request.due));
}

void Incoming::movement_ended(Movement& movement, bool well) {
  static_cast<Stream&>(movement).ended(well);
}

bool Incoming::retry() {
  if (blocked_.empty()) return false;
  const std::vector<Stream*> blocked = std::exchange(blocked_, {});
  for (Stream* stream : blocked) stream->step();
  return blocked_.size() < blocked.size();
}

void Incoming::respond(int rank, ResponseMessage& response, Payload payload) {
  if (response.number == 0) return;  // nobody waits for it
  if (rank == carrier_->rank()) {
    answer_(response, std::move(payload));
    return;
  }
  const bool last = (response.head.flags & ResponseMessage::last) != 0;
  if (payload.empty() && last && response.offset == 0) {
    acknowledge(rank, response);
    return;
  }
  Buffer& buffer = carrier_->links.compose(rank);
  put_fixed(buffer.bytes, response);
  const auto data = std::as_const(payload).bytes();
  if (!data.empty()) std::memcpy(buffer.bytes + sizeof response, data.data(), data.size());
  buffer.size = sizeof response + data.size();
  carrier_->links.send(rank, buffer);
}

void Incoming::acknowledge(int rank, const ResponseMessage& response) {
  std::size_t at = 0;
  while (at < collecting_ && collected_[at].rank != rank) ++at;
  if (at == collecting_) {
    if (++collecting_ > collected_.size()) collected_.emplace_back();
    collected_[at].rank = rank;
  }
  collected_[at].items.push_back(
      {response.number, response.due, response.status, response.head.flags});
}

void Incoming::flush() {
  for (std::size_t i = 0; i < collecting_; ++i) {
    Collected& collected = collected_[i];
    const std::size_t room =
        (carrier_->links.limit(collected.rank) - sizeof(MessageHead)) / sizeof(Acknowledgement);
    for (std::size_t from = 0; from < collected.items.size(); from += room) {
      const std::size_t count = std::min(room, collected.items.size() - from);
      Buffer& buffer = carrier_->links.compose(collected.rank);
      put_fixed(buffer.bytes, MessageHead{MessageKind::acknowledgements, 0,
                                          static_cast<std::uint16_t>(count), carrier_->rank()});
      std::memcpy(buffer.bytes + sizeof(MessageHead), collected.items.data() + from,
                  count * sizeof(Acknowledgement));
      buffer.size = sizeof(MessageHead) + count * sizeof(Acknowledgement);
      carrier_->links.send(collected.rank, buffer);
    }
    collected.items.clear();
  }
  collecting_ = 0;
}

void Incoming::lost(int rank) {
  for (const auto& stream : streams_[static_cast<std::size_t>(rank)]) {
    if (stream != nullptr) stream->drop();
  }
}

}  // namespace ugni::fabric
