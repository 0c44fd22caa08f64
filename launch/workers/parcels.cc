// Parcels in messages.
#include "launch/workers/parcels.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace launch {
namespace {

using ugni::fabric::Buffer;
using ugni::fabric::Outcome;

/// In front of each message: which process it is from.
using Sender = std::uint32_t;

/// A parcel of this kind says no more than that its sender is there.
constexpr std::uint32_t greeting = ~std::uint32_t{0};

/// No parcel is longer.
constexpr std::uint64_t longest = std::uint64_t{1} << 40;

}  // namespace

Parcels::Parcels(std::unique_ptr<ugni::fabric::Transport> transport, std::size_t own,
                 const std::vector<std::vector<std::byte>>& addresses)
    : transport_(std::move(transport)),
      own_(own),
      lost_(own),
      garbled_(own),
      peers_(addresses.size()) {
  for (std::size_t host = 0; host < addresses.size(); ++host) {
    if (host != own_) peers_[host].address = transport_->add(addresses[host], 0);
  }
  transport_->all_added();
}

Parcels::~Parcels() = default;

std::span<std::byte> Parcels::add(std::size_t to, std::uint32_t kind, std::size_t bytes) {
  std::vector<std::byte>& parcel = peers_[to].outgoing.emplace_back(sizeof(Head) + bytes);
  const Head head{bytes, kind, 0};
  std::memcpy(parcel.data(), &head, sizeof head);
  return std::span(parcel).subspan(sizeof head);
}

/// False if nothing could be sent.
bool Parcels::send_to(std::size_t to) {
  Peer& peer = peers_[to];
  const std::size_t room = std::min(transport_->limit(), Buffer::room) - sizeof(Sender);
  bool any = false;
  while (!peer.outgoing.empty()) {
    const std::vector<std::byte>& parcel = peer.outgoing.front();
    const std::size_t part = std::min(parcel.size() - peer.sent, room);
    Buffer& buffer = transport_->take();
    buffer.peer = static_cast<int>(to);
    const auto sender = static_cast<Sender>(own_);
    std::memcpy(buffer.bytes, &sender, sizeof sender);
    std::memcpy(buffer.bytes + sizeof sender, parcel.data() + peer.sent, part);
    buffer.size = sizeof sender + part;
    switch (transport_->send(peer.address, buffer)) {
      case Outcome::again:
        transport_->put_back(buffer);
        return any;
      case Outcome::refused:
      case Outcome::failed:
        lost_ = to;
        return any;
      case Outcome::done:
      case Outcome::moved:
        break;
    }
    any = true;
    peer.sent += part;
    if (peer.sent < parcel.size()) continue;
    peer.outgoing.pop_front();
    peer.sent = 0;
  }
  return any;
}

bool Parcels::poll() {
  bool any = false;
  for (std::size_t host = 0; host < peers_.size(); ++host) any = send_to(host) || any;
  return transport_->poll(*this) || any;
}

bool Parcels::all_sent() const {
  return transport_->sends_under_way() == 0 &&
         std::all_of(peers_.begin(), peers_.end(),
                     [](const Peer& peer) { return peer.outgoing.empty(); });
}

void Parcels::meet() {
  for (std::size_t host = 0; host < peers_.size(); ++host) {
    if (host != own_) add(host, greeting, 0);
  }
  const auto all_there = [this] {
    return std::all_of(peers_.begin(), peers_.end(),
                       [this](const Peer& peer) { return peer.greeted || &peer == &peers_[own_]; });
  };
  constexpr int between_looks_ms = 10;
  while (lost_ == own_ && (!all_there() || !all_sent())) {
    if (!poll()) rest(between_looks_ms);
  }
}

void Parcels::set_reader(Reader reader) {
  reader_ = std::move(reader);
  for (const Unread& parcel : std::exchange(unread_, {})) {
    reader_(parcel.from, parcel.kind, parcel.content);
  }
}

/// From the processes of the job, as the transport's secret shows; that it is what they send is
/// looked at all the same.
void Parcels::received(std::span<const std::byte> message, std::uint64_t) {
  Sender sender = 0;
  if (message.size() <= sizeof sender) return;
  std::memcpy(&sender, message.data(), sizeof sender);
  if (sender >= peers_.size() || sender == own_) return;
  std::vector<std::byte>& incoming = peers_[sender].incoming;
  incoming.insert(incoming.end(), message.begin() + sizeof sender, message.end());
  if (incoming.size() < sizeof(Head)) return;
  Head head;
  std::memcpy(&head, incoming.data(), sizeof head);
  const std::size_t come = incoming.size() - sizeof head;
  if (head.bytes > longest || come > head.bytes) {
    garbled_ = sender;
    return;
  }
  if (come < head.bytes) return;
  const std::vector<std::byte> whole = std::exchange(incoming, {});
  const std::span<const std::byte> content = std::span(whole).subspan(sizeof head);
  if (head.kind == greeting) {
    peers_[sender].greeted = true;
  } else if (reader_) {
    reader_(sender, head.kind, content);
  } else {
    unread_.push_back({sender, head.kind, {content.begin(), content.end()}});
  }
}

void Parcels::rest(int milliseconds) {
  if (!transport_->may_wait()) return;
  pollfd readable{transport_->wait_descriptor(), POLLIN, 0};
  ::poll(&readable, 1, milliseconds);
}

}  // namespace launch
