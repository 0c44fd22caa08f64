// libfabric's accept() and connect(): strangers turned away, own connections from reserved ports.
#include "ugni_emu/fabric/libfabric/network_door.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "ugni_emu/fabric/host/host_error.h"
#include "ugni_emu/fabric/libfabric/replaced_call.h"

namespace ugni::fabric {
namespace {

/// A provider calls again when more wait; it has other work, too.
constexpr int most_strangers_at_once = 64;

/// The process's doors. libfabric does not say on whose behalf it calls.
struct Doors {
  std::mutex mutex;
  std::vector<std::weak_ptr<NetworkDoor>> all;
  std::weak_ptr<LibraryCalls> calls;
};

/// Never destroyed: libfabric's threads may still call while the process ends.
Doors& doors() {
  static Doors& all = *new Doors;
  return all;
}

template <typename Wanted>
std::shared_ptr<NetworkDoor> find(const Wanted& wanted) {
  const std::lock_guard hold(doors().mutex);
  for (const auto& each : doors().all) {
    std::shared_ptr<NetworkDoor> door = each.lock();
    if (door && wanted(*door)) return door;
  }
  return nullptr;
}

int accept4_for_library(int listener, sockaddr* address, socklen_t* size, int flags) {
  const SocketPlace place = own_place(listener);
  const auto door = find([&](const NetworkDoor& each) { return each.is_at(place); });
  return door ? door->admit(listener, address, size, flags)
              : accept4(listener, address, size, flags);
}

int accept_for_library(int listener, sockaddr* address, socklen_t* size) {
  return accept4_for_library(listener, address, size, 0);
}

int connect_for_library(int socket, const sockaddr* to, socklen_t size) {
  const SocketPlace place = place_of({reinterpret_cast<const std::byte*>(to), size});
  const auto door = find([&](const NetworkDoor& each) { return each.knows(place); });
  return door && !door->take_port(socket) ? -1 : connect(socket, to, size);
}

const sockaddr* generic(const std::vector<std::byte>& socket) {
  return reinterpret_cast<const sockaddr*>(socket.data());
}

/// True if the socket has an address that other processes can know it by.
bool is_somewhere(std::span<const std::byte> socket) {
  const SocketPlace place = place_of(socket);
  return std::any_of(place.address.begin(), place.address.end(),
                     [](std::byte each) { return each != std::byte{0}; });
}

/// The same with another port.
std::vector<std::byte> with_port(std::vector<std::byte> socket, in_port_t port) {
  const std::size_t at = generic(socket)->sa_family == AF_INET ? offsetof(sockaddr_in, sin_port)
                                                               : offsetof(sockaddr_in6, sin6_port);
  std::memcpy(socket.data() + at, &port, sizeof port);
  return socket;
}

bool share_port(int socket) {
  constexpr int on = 1;
  return setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
}

bool bind_to(int socket, const std::vector<std::byte>& place) {
  return bind(socket, generic(place), static_cast<socklen_t>(place.size())) == 0;
}

}  // namespace

/// libfabric's calls, as long as there are doors.
class LibraryCalls {
 public:
  explicit LibraryCalls(void* library)
      : accept_(library, "accept", reinterpret_cast<void*>(&accept_for_library)),
        accept4_(library, "accept4", reinterpret_cast<void*>(&accept4_for_library)),
        connect_(library, "connect", reinterpret_cast<void*>(&connect_for_library)) {}
  bool connects() const { return static_cast<bool>(connect_); }

 private:
  ReplacedCall accept_;
  ReplacedCall accept4_;
  ReplacedCall connect_;
};

std::shared_ptr<NetworkDoor> NetworkDoor::hang(void* library, std::span<const std::byte> own) {
  if (!is_somewhere(own)) return nullptr;
  const std::lock_guard hold(doors().mutex);
  std::shared_ptr<LibraryCalls> calls = doors().calls.lock();
  if (!calls) {
    calls = std::make_shared<LibraryCalls>(library);
    doors().calls = calls;
  }
  std::shared_ptr<NetworkDoor> door(new NetworkDoor(std::move(calls), own));
  auto& all = doors().all;
  std::erase_if(all, [](const auto& each) { return each.expired(); });
  all.push_back(door);
  return door;
}

NetworkDoor::NetworkDoor(std::shared_ptr<LibraryCalls> calls, std::span<const std::byte> own)
    : calls_(std::move(calls)), own_(own.begin(), own.end()), place_(place_of(own)) {
  if (!calls_->connects()) return;
  for (in_port_t& port : ports_) port = reserve_port();
}

NetworkDoor::~NetworkDoor() {
  for (const int socket : reserved_) close(socket);
}

/// Without SO_REUSEADDR, which would let every user have a port on which no socket listens: sockets
/// of one user alone may share it.
in_port_t NetworkDoor::reserve_port() {
  const int socket = ::socket(generic(own_)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket >= 0) reserved_.push_back(socket);
  if (socket < 0 || !share_port(socket) || !bind_to(socket, with_port(own_, 0))) {
    refused_by_host("no port to connect from to other ranks");
  }
  return own_place(socket).port;
}

void NetworkDoor::add_peer(std::span<const std::byte> socket, const Ports& ports) {
  SocketPlace place = place_of(socket);
  peers_.insert(place);
  for (const in_port_t port : ports) {
    place.port = port;
    ways_.insert(place);
  }
}

bool NetworkDoor::knows(const SocketPlace& peer) const {
  return open_.load(std::memory_order_acquire) && peers_.contains(peer);
}

bool NetworkDoor::may_come_in(int connection) const {
  SocketPlace from = peer_place(connection);
  if (ways_.contains(from)) return true;
  from.port = 0;
  return ways_.contains(from);
}

int NetworkDoor::admit(int listener, sockaddr* address, socklen_t* size, int flags) {
  const socklen_t room = size == nullptr ? 0 : *size;
  for (int i = 0; i < most_strangers_at_once && open_.load(std::memory_order_acquire); ++i) {
    if (size != nullptr) *size = room;
    const int connection = accept4(listener, address, size, flags);
    if (connection < 0 || may_come_in(connection)) return connection;
    close(connection);
    refused_.fetch_add(1, std::memory_order_relaxed);
  }
  errno = EAGAIN;
  return -1;
}

bool NetworkDoor::take_port(int socket) {
  const in_port_t port = ports_[turn_.fetch_add(1, std::memory_order_relaxed) % ports_.size()];
  return port == 0 || (share_port(socket) && bind_to(socket, with_port(own_, port)));
}

}  // namespace ugni::fabric
