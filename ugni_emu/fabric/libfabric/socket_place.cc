// Addresses and ports, out of the kernel's structures.
#include "ugni_emu/fabric/libfabric/socket_place.h"

#include <sys/socket.h>

#include <cstring>

namespace ugni::fabric {
namespace {

template <typename Socket, typename Address>
SocketPlace place_in(std::span<const std::byte> bytes, Address Socket::*address,
                     in_port_t Socket::*port) {
  Socket socket{};
  if (bytes.size() < sizeof socket) return {};
  std::memcpy(&socket, bytes.data(), sizeof socket);
  const auto* begin = reinterpret_cast<const std::byte*>(&(socket.*address));
  return {{begin, begin + sizeof(Address)}, socket.*port};
}

using NameCall = int(int, sockaddr*, socklen_t*);

SocketPlace place_by(NameCall* call, int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (call(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return {};
  return place_of({reinterpret_cast<const std::byte*>(&name), size});
}

}  // namespace

SocketPlace place_of(std::span<const std::byte> socket) {
  sockaddr head{};
  if (socket.size() < sizeof head) return {};
  std::memcpy(&head, socket.data(), sizeof head);
  if (head.sa_family == AF_INET) {
    return place_in(socket, &sockaddr_in::sin_addr, &sockaddr_in::sin_port);
  }
  if (head.sa_family == AF_INET6) {
    return place_in(socket, &sockaddr_in6::sin6_addr, &sockaddr_in6::sin6_port);
  }
  return {};
}

SocketPlace peer_place(int socket) { return place_by(&getpeername, socket); }
SocketPlace own_place(int socket) { return place_by(&getsockname, socket); }

}  // namespace ugni::fabric
