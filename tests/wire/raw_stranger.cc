// Connection requests: one that libfabric has made, changed and sent by hand.
#include "tests/wire/raw_stranger.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>

#include "ugni_emu/fabric/libfabric/libfabric_transport.h"

namespace wire_test {
namespace {

using ugni::fabric::Buffer;
using ugni::fabric::LibfabricTransport;

sockaddr_in socket_of(ListeningPlace place) {
  sockaddr_in socket{};
  socket.sin_family = AF_INET;
  socket.sin_addr.s_addr = place.address;
  socket.sin_port = htons(place.port);
  return socket;
}

const sockaddr* generic(const sockaddr_in& socket) {
  return reinterpret_cast<const sockaddr*>(&socket);
}

/// -1 if it cannot be made. From the address that it goes to: of a rank's own host.
int connect_to(ListeningPlace victim) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in own = socket_of({victim.address, 0});
  const sockaddr_in there = socket_of(victim);
  if (connection >= 0 && bind(connection, generic(own), sizeof own) == 0 &&
      connect(connection, generic(there), sizeof there) == 0) {
    return connection;
  }
  close(connection);
  return -1;
}

class Nobody final : public ugni::fabric::TransportClient {
  void received(std::span<const std::byte>, std::uint64_t) override {}
  void movement_ended(ugni::fabric::Movement&, bool) override {}
  void send_failed(int) override {}
};

/// What the transport first says to a socket that it knows as a peer.
std::vector<std::byte> first_words(LibfabricTransport& transport) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in own = socket_of({htonl(INADDR_LOOPBACK), 0});
  socklen_t size = sizeof own;
  bind(listener, generic(own), sizeof own);
  listen(listener, 1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size);
  std::vector<std::byte> address = transport.address();  // as long as a peer's
  std::memcpy(address.data(), &own, sizeof own);
  const auto peer = transport.add(address, 0);
  Buffer& buffer = transport.take();
  buffer.size = 1;
  Nobody nobody;
  std::vector<std::byte> words(4096);
  ssize_t got = -1;
  int connection = -1;
  constexpr int tries = 5000;
  for (int i = 0; i < tries && got <= 0; ++i) {
    transport.send(peer, buffer);
    transport.poll(nobody);
    if (connection < 0) connection = accept(listener, nullptr, nullptr);
    if (connection >= 0) got = recv(connection, words.data(), words.size(), MSG_DONTWAIT);
    usleep(1000);
  }
  close(connection);
  close(listener);
  if (got <= 0) throw std::runtime_error("libfabric makes no connection");
  words.resize(static_cast<std::size_t>(got));
  return words;
}

}  // namespace

RawStranger::RawStranger() {
  LibfabricTransport transport({"tcp;ofi_rxm", "", true, 1});
  sockaddr_in own{};
  const std::vector<std::byte> socket = transport.own_socket();
  std::memcpy(&own, socket.data(), std::min(socket.size(), sizeof own));
  own_port_ = ntohs(own.sin_port);
  request_ = first_words(transport);
}

std::vector<std::byte> RawStranger::request_of(std::uint16_t port) const {
  std::vector<std::byte> request = request_;
  const auto own = std::as_bytes(std::span(&own_port_, 1));
  const auto at = std::search(request.begin(), request.end(), own.begin(), own.end());
  if (at == request.end()) throw std::runtime_error("the request does not say who it is from");
  std::memcpy(&*at, &port, sizeof port);
  return request;
}

bool RawStranger::passes_for(ListeningPlace as, ListeningPlace victim) const {
  const int connection = connect_to(victim);
  if (connection < 0) return false;
  const timeval patience{5, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::vector<std::byte> request = request_of(as.port);
  std::byte answer{};
  const bool answered = send(connection, request.data(), request.size(), MSG_NOSIGNAL) >= 0 &&
                        recv(connection, &answer, 1, 0) > 0;
  close(connection);
  return answered;
}

void RawStranger::flood(ListeningPlace victim, int connections) const {
  std::mt19937 generator(11);
  const auto below = [&](std::size_t end) { return generator() % end; };
  for (int i = 0; i < connections; ++i) {
    const int connection = connect_to(victim);
    if (connection < 0) return;  // out of descriptors
    std::vector<std::byte> words = request_of(static_cast<std::uint16_t>(generator()));
    if (below(2) == 0) words[below(words.size())] = static_cast<std::byte>(generator());
    if (below(4) == 0) words.resize(below(words.size()));
    const std::size_t whole = words.size();
    if (below(2) == 0) words.resize(whole + below(2000));
    std::generate(words.begin() + static_cast<std::ptrdiff_t>(whole), words.end(),
                  [&] { return static_cast<std::byte>(generator()); });
    send(connection, words.data(), words.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

}  // namespace wire_test
