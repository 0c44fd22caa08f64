// Which connections libfabric is given: those that the job's processes have made.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "ugni_emu/fabric/libfabric/socket_place.h"

namespace ugni::fabric {

class LibraryCalls;

/// Stands in front of a listening socket of libfabric's, whose providers believe what a connection
/// says of itself: that it is a certain rank's, for example, which then gets that rank's messages.
/// A process of the job makes its connections from ports that it has reserved, and tells which; the
/// kernel lets no other user's process have them. What comes from elsewhere is closed before
/// libfabric sees it. It works by accept() and connect(), which libfabric is given in this process:
/// a provider that has the kernel connect (verbs) passes it by.
class NetworkDoor {
 public:
  /// Several, for the kernel keeps a port from the same destination for a minute after a
  /// connection.
  using Ports = std::array<in_port_t, 4>;

  /// In front of the socket that listens at `own`, a sockaddr; closed until open(). Null if `own`
  /// is none, or of any address. `library`: libfabric, from dlopen(). Throws std::runtime_error
  /// with one line.
  static std::shared_ptr<NetworkDoor> hang(void* library, std::span<const std::byte> own);
  ~NetworkDoor();
  NetworkDoor(const NetworkDoor&) = delete;
  NetworkDoor& operator=(const NetworkDoor&) = delete;

  /// What this process's connections come from; zeros if they may come from any port.
  const Ports& ports() const { return ports_; }
  /// A process that listens at `socket`, and its ports.
  void add_peer(std::span<const std::byte> socket, const Ports& ports);
  /// All peers have been added. Until then connections wait.
  void open() { open_.store(true, std::memory_order_release); }
  /// Connections that were turned away.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

  // What libfabric's calls come to.
  bool is_at(const SocketPlace& listener) const { return listener == place_; }
  bool knows(const SocketPlace& peer) const;
  int admit(int listener, sockaddr* address, socklen_t* size, int flags);
  /// Makes the socket connect from a port of this process's. False, and errno, if it cannot.
  bool take_port(int socket);

 private:
  NetworkDoor(std::shared_ptr<LibraryCalls> calls, std::span<const std::byte> own);
  in_port_t reserve_port();
  bool may_come_in(int connection) const;

  const std::shared_ptr<LibraryCalls> calls_;
  const std::vector<std::byte> own_;
  const SocketPlace place_;
  std::vector<int> reserved_;  ///< sockets that keep the ports
  Ports ports_{};
  std::set<SocketPlace> peers_;  ///< where they listen
  std::set<SocketPlace> ways_;   ///< where they connect from; port 0: from any
  std::atomic<bool> open_{false};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::size_t> turn_{0};  ///< among the ports
};

}  // namespace ugni::fabric
