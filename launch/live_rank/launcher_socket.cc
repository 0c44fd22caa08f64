// The socket over which a rank's process and its launcher talk.
#include "launch/live_rank/launcher_socket.h"

#include <sys/socket.h>

#include <charconv>
#include <string>

#include "corespec/config/parameters.h"
#include "launch/live_rank/state_report.h"

namespace launch {

LauncherSocket LauncherSocket::inherited() {
  for (const auto& [name, value] : corespec::environment()) {
    if (name != states_variable) continue;
    const std::size_t comma = value.find(',');
    if (comma == std::string::npos) return {};
    LauncherSocket named;
    std::from_chars(value.data(), value.data() + comma, named.descriptor_);
    std::from_chars(value.data() + comma + 1, value.data() + value.size(), named.launcher_);
    return named.is_launchers() ? named : LauncherSocket();
  }
  return {};
}

bool LauncherSocket::is_launchers() const {
  ucred peer{};
  socklen_t length = sizeof peer;
  int type = 0;
  socklen_t type_length = sizeof type;
  return getsockopt(descriptor_, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         getsockopt(descriptor_, SOL_SOCKET, SO_TYPE, &type, &type_length) == 0 &&
         peer.pid == launcher_ && type == SOCK_SEQPACKET;
}

bool LauncherSocket::send(std::string_view message, int flags) const {
  if (!is_there()) return false;
  const ssize_t sent = ::send(descriptor_, message.data(), message.size(), MSG_NOSIGNAL | flags);
  return sent == static_cast<ssize_t>(message.size());
}

bool LauncherSocket::send_at_once(std::string_view message) const {
  return send(message, MSG_DONTWAIT);
}

}  // namespace launch
