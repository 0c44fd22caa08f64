// The door in front of a library's listening socket: who comes in, and by which ports.
#include "ugni_emu/fabric/libfabric/network_door.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace ugni::fabric {
namespace {

sockaddr_in socket_at(const char* address, in_port_t port) {
  sockaddr_in socket{};
  socket.sin_family = AF_INET;
  socket.sin_port = port;
  inet_pton(AF_INET, address, &socket.sin_addr);
  return socket;
}

const sockaddr* generic(const sockaddr_in& socket) {
  return reinterpret_cast<const sockaddr*>(&socket);
}

/// A descriptor, for a while.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket() : Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  operator int() const { return descriptor_; }

 private:
  int descriptor_;
};

/// One that listens, as libfabric's do: without waiting in accept().
template <typename Place>
class ListenerAt {
 public:
  explicit ListenerAt(const Place& place)
      : place_(place),
        socket_(::socket(address()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    socklen_t size = sizeof place_;
    listens_ = bind(socket_, address(), size) == 0 && listen(socket_, 16) == 0 &&
               getsockname(socket_, reinterpret_cast<sockaddr*>(&place_), &size) == 0;
  }
  bool listens() const { return listens_; }
  int socket() const { return socket_; }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&place_); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(&place_, 1)); }

 private:
  Place place_;
  Socket socket_;
  bool listens_ = false;
};
using Listener = ListenerAt<sockaddr_in>;

/// True if the other end has been closed.
bool is_turned_away(int connection) {
  char byte = 0;
  return recv(connection, &byte, 1, 0) <= 0;
}

struct Door : testing::Test {
  void SetUp() override {
    library.reset(dlopen(TEST_CONNECTS, RTLD_NOW | RTLD_LOCAL));
    ASSERT_NE(library, nullptr) << dlerror();
    accepts = reinterpret_cast<int (*)(int)>(dlsym(library.get(), "accepts"));
    connects = reinterpret_cast<int (*)(int, const sockaddr*, socklen_t)>(
        dlsym(library.get(), "connects"));
    ASSERT_NE(accepts, nullptr);
    ASSERT_NE(connects, nullptr);
    ASSERT_TRUE(own.listens());
    ASSERT_TRUE(peer.listens());
  }
  template <typename At>
  std::shared_ptr<NetworkDoor> hang(const At& at) {
    return NetworkDoor::hang(library.get(), at.bytes());
  }
  /// Calls of the library's.
  template <typename At>
  int accept_by_library(const At& at) const {
    return accepts(at.socket());
  }
  template <typename To>
  void connect_by_library(int socket, const To& to) const {
    EXPECT_EQ(connects(socket, to.address(), to.bytes().size()), 0) << strerror(errno);
  }
  template <typename To>
  static void connect_as_stranger(int socket, const To& to) {
    EXPECT_EQ(connect(socket, to.address(), to.bytes().size()), 0) << strerror(errno);
  }

  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };
  std::unique_ptr<void, Close> library;
  int (*accepts)(int) = nullptr;
  int (*connects)(int, const sockaddr*, socklen_t) = nullptr;
  const Listener own{socket_at("127.0.0.1", 0)};
  const Listener peer{socket_at("127.0.0.1", 0)};
};

TEST_F(Door, LetsPeersInAndNobodyElse) {
  const auto door = hang(own);
  const auto others = hang(peer);
  door->add_peer(peer.bytes(), others->ports());
  others->add_peer(own.bytes(), door->ports());
  door->open();
  others->open();

  const Socket stranger, known;
  connect_as_stranger(stranger, own);
  connect_by_library(known, own);
  const Socket accepted(accept_by_library(own));
  ASSERT_GE(accepted, 0);
  const SocketPlace from = peer_place(accepted);
  EXPECT_EQ(from, own_place(known));
  EXPECT_NE(std::find(others->ports().begin(), others->ports().end(), from.port),
            others->ports().end());
  EXPECT_TRUE(is_turned_away(stranger));
  EXPECT_EQ(door->refused(), 1U);
  EXPECT_EQ(accept_by_library(own), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Door, IsTheSameForIpv6) {
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const ListenerAt<sockaddr_in6> own_6(loopback), peer_6(loopback);
  if (!own_6.listens() || !peer_6.listens()) GTEST_SKIP() << "no IPv6 here";
  const auto door = hang(own_6);
  const auto others = hang(peer_6);
  door->add_peer(peer_6.bytes(), others->ports());
  others->add_peer(own_6.bytes(), door->ports());
  door->open();
  others->open();
  const Socket stranger(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Socket known(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  connect_as_stranger(stranger, own_6);
  connect_by_library(known, own_6);
  EXPECT_GE(Socket(accept_by_library(own_6)), 0);
  EXPECT_TRUE(is_turned_away(stranger));
  EXPECT_EQ(door->refused(), 1U);
}

TEST_F(Door, IsClosedUntilAllPeersAreKnown) {
  const auto door = hang(own);
  const auto others = hang(peer);
  others->add_peer(own.bytes(), door->ports());
  others->open();
  const Socket early;
  connect_by_library(early, own);
  EXPECT_EQ(accept_by_library(own), -1);
  EXPECT_EQ(errno, EAGAIN);
  door->add_peer(peer.bytes(), others->ports());
  door->open();
  EXPECT_GE(Socket(accept_by_library(own)), 0);
}

/// The kernel keeps a pair of places from being connected anew for a minute.
TEST_F(Door, APeerMayComeAgain) {
  const auto door = hang(own);
  const auto others = hang(peer);
  door->add_peer(peer.bytes(), others->ports());
  others->add_peer(own.bytes(), door->ports());
  door->open();
  others->open();
  for (std::size_t i = 0; i < others->ports().size(); ++i) {
    const Socket known;
    connect_by_library(known, own);
    EXPECT_GE(Socket(accept_by_library(own)), 0);
  }
  EXPECT_EQ(door->refused(), 0U);
}

/// Of a peer that cannot say where its connections come from, its address is all that is known.
TEST_F(Door, APeerWithoutPortsIsKnownByItsAddress) {
  const auto door = hang(own);
  door->add_peer(peer.bytes(), {});
  door->open();
  const Socket near, far;
  connect_as_stranger(near, own);
  EXPECT_GE(Socket(accept_by_library(own)), 0);
  const sockaddr_in elsewhere = socket_at("127.0.0.2", 0);
  ASSERT_EQ(bind(far, generic(elsewhere), sizeof elsewhere), 0);
  connect_as_stranger(far, own);
  EXPECT_EQ(accept_by_library(own), -1);
  EXPECT_TRUE(is_turned_away(far));
}

TEST_F(Door, StandsInFrontOfItsOwnSocketOnly) {
  {
    const auto door = hang(own);
    door->open();
    const Socket to_other, to_own;
    connect_as_stranger(to_other, peer);
    EXPECT_GE(Socket(accept_by_library(peer)), 0);  // no door of this library's is there
    connect_as_stranger(to_own, own);
    EXPECT_GE(Socket(accept(own.socket(), nullptr, nullptr)), 0);  // the program's own call
  }
  const Socket afterwards;
  connect_as_stranger(afterwards, own);
  EXPECT_GE(Socket(accept_by_library(own)), 0);
}

TEST_F(Door, HangsAtAddressesOnly) {
  const sockaddr_in any = socket_at("0.0.0.0", htons(1));
  EXPECT_EQ(NetworkDoor::hang(library.get(), std::as_bytes(std::span(&any, 1))), nullptr);
  EXPECT_EQ(NetworkDoor::hang(library.get(), std::as_bytes(std::span("fi_shm://1"))), nullptr);
}

TEST_F(Door, NoOtherUserHasItsPorts) {
  if (geteuid() != 0) GTEST_SKIP() << "acts as another user: needs root";
  const auto door = hang(own);
  constexpr uid_t nobody = 65534;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) _exit(1);
    for (const in_port_t port : door->ports()) {
      for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
        for (int options = 0; options < 4; ++options) {
          const Socket thief;
          const int reuses = options & 1;
          const int shares = options >> 1;
          setsockopt(thief, SOL_SOCKET, SO_REUSEADDR, &reuses, sizeof reuses);
          setsockopt(thief, SOL_SOCKET, SO_REUSEPORT, &shares, sizeof shares);
          const sockaddr_in place = socket_at(address, port);
          if (bind(thief, generic(place), sizeof place) == 0 || errno != EADDRINUSE) _exit(2);
        }
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ugni::fabric
