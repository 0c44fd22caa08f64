// What becomes of messages and copies on their way to a transport.
#include "ugni_emu/fabric/faults/faulty_transport.h"

#include <utility>

namespace ugni::fabric {

using corespec::Time;
using faults::KillPoint;

FaultyTransport::FaultyTransport(std::unique_ptr<Transport> behind, std::vector<NicAddress> peers,
                                 faults::RankFaults& faults)
    : Transport(InFrontOf{*behind}),
      behind_(std::move(behind)),
      nics_(std::move(peers)),
      faults_(faults) {}

Transport::Address FaultyTransport::add(std::span<const std::byte> address, pid_t process) {
  const Address number = behind_->add(address, process);
  const NicAddress nic = nics_.at(peers_.size());
  peers_[number].nic = nic;
  return number;
}

/// A message is handed over, for the first time: true if it has to come again.
bool FaultyTransport::is_held_up(Peer& peer) {
  const Time late = faults_.leaves_later(peer.nic);
  if (late != Time()) peer.until = faults_.now() + late;
  return late != Time() || faults_.finds_no_room(peer.nic);
}

Outcome FaultyTransport::send(Address to, Buffer& buffer) {
  Peer& peer = peers_.at(to);
  const bool comes_again = std::exchange(peer.send_waits, false);
  peer.fails = peer.fails || (!comes_again && faults_.fails(peer.nic));
  if (peer.fails) {
    put_back(buffer);
    return Outcome::failed;
  }
  if ((comes_again && faults_.now() < peer.until) || (!comes_again && is_held_up(peer))) {
    peer.send_waits = true;
    return Outcome::again;
  }
  if (!std::exchange(peer.send_begun, true)) faults_.reach(KillPoint::before_send, peer.nic);
  const Outcome outcome = behind_->send(to, buffer);
  peer.send_waits = peer.send_begun = outcome == Outcome::again;
  if (outcome == Outcome::done) faults_.reach(KillPoint::after_send, peer.nic);
  return outcome;
}

template <typename Move>
Outcome FaultyTransport::copy(Address address, std::size_t bytes, const Move& move) {
  Peer& peer = peers_.at(address);
  if (!std::exchange(peer.copy_waits, false)) {
    peer.copy_waits = faults_.finds_no_room(peer.nic);
    if (peer.copy_waits) return Outcome::again;
  }
  if (by_memory() && faults_.refuses_copy(peer.nic)) return Outcome::refused;
  faults_.reach(KillPoint::before_copy, peer.nic);
  if (!by_memory()) {
    const Outcome outcome = move(0, bytes);
    if (outcome == Outcome::done) faults_.reach(KillPoint::in_copy, peer.nic);
    return outcome;
  }
  const std::size_t half = bytes / 2;
  if (const Outcome first = move(0, half); first != Outcome::moved) return first;
  faults_.reach(KillPoint::in_copy, peer.nic);
  const Outcome outcome = move(half, bytes - half);
  if (outcome == Outcome::moved) faults_.reach(KillPoint::after_copy, peer.nic);
  return outcome;
}

Outcome FaultyTransport::read(Address from, std::span<std::byte> into, RemoteMemory memory,
                              Movement& movement) {
  return copy(from, into.size(), [&](std::size_t offset, std::size_t bytes) {
    return behind_->read(from, into.subspan(offset, bytes), {memory.address + offset, memory.key},
                         movement);
  });
}

Outcome FaultyTransport::write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                               Movement& movement) {
  return copy(to, data.size(), [&](std::size_t offset, std::size_t bytes) {
    return behind_->write(to, data.subspan(offset, bytes), {memory.address + offset, memory.key},
                          movement);
  });
}

}  // namespace ugni::fabric
