// The host's queues at work.
#include "ugni_emu/fabric/host/host_transport.h"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "ugni_emu/fabric/host/host_copy.h"

namespace ugni::fabric {
namespace {

constexpr int messages_at_once = 16;  // of one writer, before the next one's turn
constexpr std::size_t bits = 64;

/// Of one reader, in bytes: whole lines.
std::size_t writers_bytes(std::size_t members) {
  constexpr std::size_t in_line = HostQueue::line * 8;
  return (members + in_line - 1) / in_line * HostQueue::line;
}

class HostRegistration final : public Registration {
 public:
  RemoteMemory remote(const std::byte* address) const override {
    return {reinterpret_cast<std::uint64_t>(address), 0};
  }
};

}  // namespace

static_assert(Buffer::room <= HostQueue::limit);

std::size_t HostTransport::memory_bytes(std::size_t members) {
  return members * (writers_bytes(members) + members * sizeof(HostQueue::Shared));
}

HostTransport::HostTransport(std::size_t members, std::size_t own)
    : members_(members), own_(own), peers_(members), known_((members + bits - 1) / bits) {}

HostTransport::~HostTransport() = default;

HostTransport::Word* HostTransport::writers(std::size_t reader) const {
  return reinterpret_cast<Word*>(memory_ + reader * writers_bytes(members_));
}

HostQueue::Shared& HostTransport::queue(std::size_t reader, std::size_t writer) const {
  std::byte* const queues = memory_ + members_ * writers_bytes(members_);
  return reinterpret_cast<HostQueue::Shared*>(queues)[reader * members_ + writer];
}

std::vector<std::byte> HostTransport::address() const {
  std::vector<std::byte> address(sizeof own_);
  std::memcpy(address.data(), &own_, sizeof own_);
  return address;
}

Transport::Address HostTransport::add(std::span<const std::byte> address, pid_t process) {
  std::size_t number = 0;
  if (address.size() == sizeof number) std::memcpy(&number, address.data(), sizeof number);
  if (address.size() != sizeof number || number >= members_) {
    throw std::runtime_error("live wire: a process of this host has a number that none has");
  }
  peers_[number] = Member{process, HostQueueWriter(queue(number, own_)), false};
  return number;
}

Outcome HostTransport::send(Address to, Buffer& buffer) {
  Member& member = *peers_[to];
  if (!member.queue.write({buffer.bytes, buffer.size})) return Outcome::again;
  if (!member.shown) {
    member.shown = true;
    writers(to)[own_ / bits].fetch_or(std::uint64_t{1} << own_ % bits, std::memory_order_release);
  }
  put_back(buffer);
  return Outcome::done;
}

Outcome HostTransport::read(Address from, std::span<std::byte> into, RemoteMemory memory,
                            Movement& /*movement*/) {
  return read_host(peers_[from]->process, into, memory);
}

Outcome HostTransport::write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                             Movement& /*movement*/) {
  return write_host(peers_[to]->process, data, memory);
}

std::unique_ptr<Registration> HostTransport::expose(std::byte* /*address*/, std::size_t /*bytes*/) {
  return std::make_unique<HostRegistration>();
}

void HostTransport::look_for_writers() {
  const Word* const words = writers(own_);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const std::uint64_t now = words[i].load(std::memory_order_acquire);
    for (std::uint64_t fresh = now & ~known_[i]; fresh != 0; fresh &= fresh - 1) {
      const std::size_t from = i * bits + static_cast<std::size_t>(std::countr_zero(fresh));
      if (from < members_) readers_.push_back({from, HostQueueReader(queue(own_, from))});
    }
    known_[i] = now;
  }
}

bool HostTransport::poll(TransportClient& client) {
  look_for_writers();
  bool any = false;
  for (Reader& reader : readers_) {
    for (int i = 0; i < messages_at_once; ++i) {
      const std::span<const std::byte> message = reader.queue.look();
      if (message.empty()) break;
      client.received(message, reader.from);
      reader.queue.next();
      any = true;
    }
  }
  return any;
}

}  // namespace ugni::fabric
