// Links at work: sending, polling, sleeping, registered memory, lost peers.
#include "ugni_emu/fabric/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "corespec/host/os_thread.h"

namespace ugni::fabric {
namespace {

constexpr unsigned network_turns = 4;  // polls of this host's queue to one of the network's
// Polls between looks for ended processes; a thread that one has woken polls until it is seen.
constexpr unsigned departure_turns = 4096;
constexpr unsigned departure_turns_armed = 64;

// A peer that lives and takes nothing for so long is stopped, and may never go on.
constexpr corespec::Time longest_finish = corespec::Time::microseconds(2'000'000);

/// Of a network's provider every call may be a system call, in which a thread that is cancelled
/// would end; of a host's none is.
template <typename Call>
auto uncancelled(const Call& call) {
  const corespec::WithoutCancellation without_cancellation;
  return call();
}

}  // namespace

void Links::send(int rank, Buffer& buffer, bool wakes) {
  Peer& to = peer(rank);
  if (to.lost) {
    to.transport->put_back(buffer);
    return;
  }
  to.wakes = to.wakes || wakes;
  buffer.peer = rank;
  if (to.unsent == nullptr) {
    unsent_.push_back(rank);
  } else if (to.parcel.add(*to.unsent, buffer, to.transport->limit())) {
    to.transport->put_back(buffer);
    return;
  } else {
    post(rank, to);
    if (to.lost) {
      to.transport->put_back(buffer);
      return;
    }
  }
  to.unsent = &buffer;
}

Outcome Links::send_by(const Peer& to, Buffer& buffer) {
  const auto send = [&] { return to.transport->send(to.address, buffer); };
  return to.transport == network_.get() ? uncancelled(send) : send();
}

/// Hands over what has not left yet.
void Links::post(int rank, Peer& to) {
  Buffer& buffer = *std::exchange(to.unsent, nullptr);
  to.used = true;
  to.parcel.close(buffer);
  if (to.backlog.empty()) {
    switch (send_by(to, buffer)) {
      case Outcome::done:
      case Outcome::moved:
        return;
      case Outcome::refused:
      case Outcome::failed:
        lose(rank);
        return;
      case Outcome::again:
        break;
    }
    ring(rank, to);  // it may be asleep with a full queue
    if (to.lost) {
      to.transport->put_back(buffer);
      return;
    }
    delayed_.push_back(rank);
  }
  to.backlog.push_back(&buffer);
}

void Links::flush_those() {
  for (const int rank : unsent_) {
    Peer& to = peer(rank);
    if (to.unsent != nullptr) post(rank, to);
    if (std::exchange(to.wakes, false) && !to.lost && to.backlog.empty()) ring(rank, to);
  }
  unsent_.clear();
}

void Links::ring(int rank, Peer& to) {
  if (to.member < 0) return;
  const auto member = static_cast<std::size_t>(to.member);
  if (faults_ != nullptr && bell_->sleeps(member) && faults_->loses_ring(nic_of(rank))) return;
  if (!bell_->ring(member)) lose(rank);
}

bool Links::retry() {
  bool any = false;
  for (std::size_t i = 0; i < delayed_.size();) {
    const int rank = delayed_[i];
    Peer& to = peer(rank);
    bool sent = false;
    while (!to.backlog.empty()) {
      const Outcome outcome = send_by(to, *to.backlog.front());
      if (outcome == Outcome::again) break;
      to.backlog.pop_front();
      sent = true;
      if (outcome == Outcome::failed) lose(rank);
    }
    if (sent) ring(rank, to);
    any = any || sent;
    if (to.backlog.empty()) {
      delayed_.erase(delayed_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return any;
}

Outcome Links::read(int rank, std::span<std::byte> into, RemoteMemory memory, Movement& movement) {
  flush();
  Peer& from = peer(rank);
  if (from.lost) return Outcome::failed;
  const Outcome outcome =
      uncancelled([&] { return from.transport->read(from.address, into, memory, movement); });
  if (outcome == Outcome::again) ring(rank, from);
  return outcome;
}

Outcome Links::write(int rank, std::span<const std::byte> data, RemoteMemory memory,
                     Movement& movement) {
  flush();
  Peer& to = peer(rank);
  if (to.lost) return Outcome::failed;
  const Outcome outcome =
      uncancelled([&] { return to.transport->write(to.address, data, memory, movement); });
  if (outcome == Outcome::again) ring(rank, to);
  return outcome;
}

bool Links::wakes(int rank, const Transaction& transaction) {
  const Peer& to = peer(rank);
  return to.member >= 0 && exposures_.wakes(static_cast<std::size_t>(to.member), transaction);
}

template <typename Move>
bool Links::move_unasked(Peer& peer, const Transaction& transaction, Move move) {
  if (peer.member < 0 || peer.lost || !copies_) return false;
  const auto member = static_cast<std::size_t>(peer.member);
  const auto entered = exposures_.enter(member, transaction);
  if (!entered) return false;
  flush();  // copying takes a while
  // Where it fails the target is asked, and says why.
  Movement unused;
  const Outcome outcome = move(RemoteMemory{transaction.remote_address, 0}, unused);
  exposures_.leave(member, *entered);
  return outcome == Outcome::moved;
}

bool Links::push(int rank, const Transaction& transaction, std::span<const std::byte> data) {
  Peer& to = peer(rank);
  if (to.member >= 0 && bell_->polls(static_cast<std::size_t>(to.member))) return false;
  return move_unasked(to, transaction, [&](RemoteMemory place, Movement& movement) {
    return to.transport->write(to.address, data, place, movement);
  });
}

bool Links::pull(int rank, const Transaction& transaction, std::span<std::byte> into) {
  Peer& from = peer(rank);
  return move_unasked(from, transaction, [&](RemoteMemory place, Movement& movement) {
    return from.transport->read(from.address, into, place, movement);
  });
}

bool Links::reads(int rank) const {
  return copies_ && rank != layout_.rank && local_ && local_->by_memory() &&
         layout_.on_this_host(rank);
}

std::uint64_t Links::expose(const ExposedRegion& region) {
  if (region.bytes == 0) return 0;
  Exposed exposed;
  exposed.used = true;
  if (local_) exposed.local = local_->expose(region.address, region.bytes);
  if (network_) exposed.remote = network_->expose(region.address, region.bytes);
  if (exposed.local != nullptr && local_->by_memory()) exposed.shown = exposures_.show(region);
  if (faults_ != nullptr) faults_->reach(faults::KillPoint::after_register);
  if (free_registrations_.empty()) {
    exposed_.push_back(std::move(exposed));
    return exposed_.size();
  }
  const std::uint64_t registration = free_registrations_.back();
  free_registrations_.pop_back();
  exposed_[registration - 1] = std::move(exposed);
  return registration;
}

void Links::conceal(std::uint64_t registration) {
  if (registration == 0 || registration > exposed_.size()) return;
  Exposed& exposed = exposed_[registration - 1];
  if (!exposed.used) return;
  exposures_.remove(exposed.shown);
  exposed = {};
  free_registrations_.push_back(registration);
}

bool Links::remote(int rank, std::uint64_t registration, const std::byte* address,
                   RemoteMemory& memory) {
  if (registration == 0 || registration > exposed_.size()) return false;
  const Exposed& exposed = exposed_[registration - 1];
  Transport* const transport = peer(rank).transport;
  const auto& region = transport == local_.get() ? exposed.local : exposed.remote;
  if (region == nullptr || (transport->by_memory() && !copies_)) return false;
  memory = region->remote(address);
  return true;
}

bool Links::poll() {
  ++turn_;
  bool any = false;
  if (local_) any = local_->poll(*client_);
  if (network_ && (armed_ || !local_ || turn_ % network_turns == 0)) {
    any = uncancelled([this] { return network_->poll(*client_); }) || any;
  }
  if (!delayed_.empty()) any = retry() || any;
  if (turn_ % departure_turns_armed == 0 && (armed_ || turn_ % departure_turns == 0)) {
    for (int rank = departures_.next(); rank >= 0; rank = departures_.next()) lose(rank, false);
  }
  if (!gone_.empty()) {
    tell_of_losses();
    any = true;
  }
  return any;
}

void Links::tell_of_losses() {
  const std::vector<Gone> gone = std::exchange(gone_, {});
  // What they sent before their end comes first.
  const corespec::WithoutCancellation without_cancellation;
  while ((local_ && local_->poll(*client_)) || (network_ && network_->poll(*client_))) {
  }
  for (const Gone& each : gone) client_->lost(each.rank, each.given_up);
}

void Links::lose(int rank, bool given_up) {
  Peer& gone = peer(rank);
  if (gone.lost) return;
  gone.lost = true;
  if (gone.unsent != nullptr) gone.transport->put_back(*std::exchange(gone.unsent, nullptr));
  gone.parcel.forget();
  for (Buffer* buffer : gone.backlog) gone.transport->put_back(*buffer);
  gone.backlog.clear();
  gone_.push_back({rank, given_up});
}

/// That a process of another host has ended no kernel says.
void Links::take_leave() {
  for (int rank = 0; rank < layout_.size(); ++rank) {
    if (layout_.on_this_host(rank) || !peer(rank).used) continue;
    send_fixed(rank, MessageHead{MessageKind::goodbye, 0, 0, layout_.rank});
  }
}

void Links::finish() {
  struct Ignoring final : LinkClient {
    void received(std::span<const std::byte>, std::uint64_t) override {}
    void movement_ended(Movement&, bool) override {}
    void send_failed(int) override {}
    void lost(int, bool) override {}
  } ignoring;
  client_ = &ignoring;
  armed_ = true;  // looks for departures often
  take_leave();
  flush();
  corespec::Patience patience;
  const corespec::Time until = clock_.now() + longest_finish;
  while (waiting() || (network_ && network_->sends_under_way() != 0)) {
    if (poll()) {
      patience.found_something();
    } else {
      patience.found_nothing();
      if (clock_.now() > until) break;
    }
  }
  client_ = nullptr;
}

void Links::arm(bool on_word) {
  armed_ = true;
  bell_->arm(on_word);
  if (local_ && !local_->may_wait()) bell_->ring_self();
  if (network_ && !uncancelled([this] { return network_->may_wait(); })) bell_->ring_self();
  if (!gone_.empty()) bell_->ring_self();
}

void Links::disarm() {
  armed_ = false;
  bell_->disarm();
}

bool Links::quieten() {
  bell_->take_rings();
  return !network_;
}

std::vector<int> Links::wait_descriptors() const {
  std::vector<int> descriptors{bell_->wait_descriptor(), departures_.wait_descriptor()};
  for (const Transport* transport : {local_.get(), network_.get()}) {
    if (transport != nullptr && transport->wait_descriptor() >= 0) {
      descriptors.push_back(transport->wait_descriptor());
    }
  }
  return descriptors;
}

std::string Links::text() const {
  if (!local_ && !network_) return "none";
  if (!network_) return local_->name();
  if (!local_) return network_->name() + " between hosts";
  return fmt::format("{} within this host, {} between hosts", local_->name(), network_->name());
}

}  // namespace ugni::fabric
