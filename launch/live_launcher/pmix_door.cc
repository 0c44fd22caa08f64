// Which processes are let in to the PMIx server: accept() of this program, which libpmix calls.
#include "launch/live_launcher/pmix_door.h"

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "launch/live_launcher/peer_user.h"

namespace launch {
namespace {

/// The server's; accept() has no other way to it.
PmixDoor* installed = nullptr;

int accept_truly(int listener, sockaddr* address, socklen_t* size, int flags) {
  using Accept = int(int, sockaddr*, socklen_t*, int);
  static auto* const real = reinterpret_cast<Accept*>(dlsym(RTLD_NEXT, "accept4"));
  return real(listener, address, size, flags);
}

/// Waits until so many bytes can be read, which stay there. False if the peer goes before, or for
/// too long does nothing (a process of the job's user: a stopped one).
bool peek(int connection, char* bytes, std::size_t count) {
  constexpr std::chrono::seconds patience{30};
  const auto end = std::chrono::steady_clock::now() + patience;
  const int wanted = static_cast<int>(count);  // poll() then does not report fewer
  setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted);
  ssize_t got = 0;
  while (got < wanted) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd ready{connection, POLLIN, 0};
    if (left.count() <= 0) break;
    const int changed = poll(&ready, 1, static_cast<int>(left.count()));
    if (changed < 0 && errno != EINTR) break;
    if (changed <= 0) continue;
    got = recv(connection, bytes, count, MSG_PEEK | MSG_DONTWAIT);
    if (got < wanted) break;  // its end, and no more will come
  }
  constexpr int any = 1;
  setsockopt(connection, SOL_SOCKET, SO_RCVLOWAT, &any, sizeof any);
  return got == wanted;
}

std::optional<PmixHello> hello_of(int connection) {
  std::string message(pmix_hello_head, '\0');
  if (!peek(connection, message.data(), message.size())) return std::nullopt;
  const std::size_t length = pmix_hello_length(message);
  if (length == 0) return std::nullopt;
  message.resize(length);
  if (!peek(connection, message.data(), length)) return std::nullopt;
  return parse_pmix_hello(message);
}

}  // namespace

PmixDoor::PmixDoor(std::string space, int ranks, Refused refused)
    : space_(std::move(space)),
      refused_(std::move(refused)),
      there_(static_cast<std::size_t>(ranks)) {
  installed = this;
}

PmixDoor::~PmixDoor() { installed = nullptr; }

void PmixDoor::left(int rank) {
  const std::lock_guard hold(mutex_);
  there_[static_cast<std::size_t>(rank)] = false;
}

bool PmixDoor::has_let_in(int rank) const {
  const std::lock_guard hold(mutex_);
  return there_[static_cast<std::size_t>(rank)];
}

bool PmixDoor::take_place(const PmixHello& hello) {
  {
    const std::lock_guard hold(mutex_);
    if (hello.space != space_ || hello.rank >= there_.size()) return false;
    if (!there_[hello.rank]) {
      there_[hello.rank] = true;
      return true;
    }
  }
  refused_(static_cast<int>(hello.rank));
  return false;
}

bool PmixDoor::may_come_in(int connection) {
  if (user_of_peer(connection) != geteuid()) return false;
  const std::optional<PmixHello> hello = hello_of(connection);
  return hello && take_place(*hello);
}

int PmixDoor::admit(int listener, sockaddr* address, socklen_t* size) {
  const socklen_t room = size == nullptr ? 0 : *size;
  for (;;) {
    if (size != nullptr) *size = room;
    const int connection = accept_truly(listener, address, size, SOCK_CLOEXEC);
    // What the client did, or a moment's lack, must not end libpmix's listening thread.
    if (connection < 0 && (errno == EINTR || errno == EPROTO || errno == EMFILE)) errno = EAGAIN;
    if (connection < 0 || may_come_in(connection)) return connection;
    close(connection);
  }
}

}  // namespace launch

extern "C" {

// First in symbol lookup, so libpmix's own calls come here. accept4() is not among them: it is here
// lest another version of the library walks past the door.

int accept(int listener, sockaddr* __restrict address, socklen_t* __restrict size) {
  if (launch::installed != nullptr) return launch::installed->admit(listener, address, size);
  return launch::accept_truly(listener, address, size, 0);
}

int accept4(int listener, sockaddr* __restrict address, socklen_t* __restrict size, int flags) {
  if (launch::installed != nullptr) return launch::installed->admit(listener, address, size);
  return launch::accept_truly(listener, address, size, flags);
}

}  // extern "C"
