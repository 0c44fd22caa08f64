// The doorbell: flags in a memory file, datagrams between abstract sockets.
#include "ugni_emu/wire/fabric/doorbell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace ugni::fabric {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::runtime_error(fmt::format("live wire: {}: {}", what, std::strerror(errno)));
}

constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);

}  // namespace

Doorbell::Doorbell(bool first, std::size_t members) : members_(members) {
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // Without a path the kernel picks an abstract name that nobody has.
  const sa_family_t unnamed = AF_UNIX;
  if (socket_ < 0 ||
      bind(socket_, reinterpret_cast<const sockaddr*>(&unnamed), sizeof unnamed) != 0) {
    refuse("no socket for the doorbell");
  }
  if (!first) return;
  file_ = memfd_create("castor-doorbell", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(members_ * sizeof(Flag))) != 0) {
    refuse("no memory for the doorbell");
  }
}

Doorbell::~Doorbell() {
  if (flags_ != nullptr) munmap(flags_, members_ * sizeof(Flag));
  if (file_ >= 0) close(file_);
  if (socket_ >= 0) close(socket_);
}

Doorbell::Card Doorbell::card() const {
  Card card;
  card.process = getpid();
  card.file = file_;
  sockaddr_un name{};
  socklen_t size = sizeof name;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &size) != 0 || size <= path_at ||
      size - path_at > sizeof card.name) {
    refuse("the doorbell's socket has no name");
  }
  card.name_size = static_cast<std::uint8_t>(size - path_at);
  std::memcpy(card.name, name.sun_path, card.name_size);
  return card;
}

void Doorbell::meet(std::vector<Card> cards, std::size_t own) {
  cards_ = std::move(cards);
  own_ = own;
  if (file_ < 0) {
    const std::string path = fmt::format("/proc/{}/fd/{}", cards_[0].process, cards_[0].file);
    file_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) refuse("the memory of this host's first process cannot be opened");
  }
  void* const memory =
      mmap(nullptr, members_ * sizeof(Flag), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) refuse("the doorbell's memory cannot be mapped");
  flags_ = static_cast<Flag*>(memory);
}

void Doorbell::arm() {
  disarm();
  if (expected_ != 0) take_bytes();  // nobody rings now, so these are of earlier rings
  flags_[own_].asleep.store(1, std::memory_order_relaxed);
  full_fence();
  armed_ = true;
}

void Doorbell::disarm() {
  if (!armed_) return;
  armed_ = false;
  // Whoever has taken the flag away sends a byte, or has sent it.
  if (flags_[own_].asleep.exchange(0, std::memory_order_acq_rel) == 0) ++expected_;
}

void Doorbell::take_bytes() {
  char bytes[8];
  while (recv(socket_, bytes, sizeof bytes, 0) >= 0) {
    ++rung_;
    if (expected_ != 0) --expected_;
  }
}

bool Doorbell::wake(std::size_t member) {
  if (flags_[member].asleep.exchange(0, std::memory_order_acq_rel) == 0) return true;
  return send_byte(cards_[member]);
}

void Doorbell::ring_self() {
  ++expected_;
  send_byte(cards_[own_]);
}

bool Doorbell::send_byte(const Card& card) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, card.name, card.name_size);
  const char byte = 1;
  const long sent =
      sendto(socket_, &byte, 1, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&name),
             static_cast<socklen_t>(path_at + card.name_size));
  // A full queue wakes as well as one more byte would.
  return sent == 1 || errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace ugni::fabric
