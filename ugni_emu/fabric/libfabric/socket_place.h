// Where an end of a TCP connection is: its address and port.
#pragma once

#include <netinet/in.h>

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace ugni::fabric {

struct SocketPlace {
  std::vector<std::byte> address;  ///< empty: not known, or neither of IPv4 nor of IPv6
  in_port_t port = 0;              ///< in network order
  bool operator==(const SocketPlace&) const = default;
  auto operator<=>(const SocketPlace&) const = default;
};

/// Of a sockaddr.
SocketPlace place_of(std::span<const std::byte> socket);
/// The other end of a socket's connection, and its own.
SocketPlace peer_place(int socket);
SocketPlace own_place(int socket);

}  // namespace ugni::fabric
