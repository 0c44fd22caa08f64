// Which user is at the other end of a connection within this host.
#pragma once

#include <sys/types.h>

#include <optional>

namespace launch {

/// Whose process made the other end of a connected TCP socket (IPv4), by the kernel's account and
/// not by what the peer says. Nothing if that end is on another host or has been closed, or if the
/// kernel does not say (neither by sock_diag nor in /proc/net/tcp).
std::optional<uid_t> user_of_peer(int socket);

}  // namespace launch
