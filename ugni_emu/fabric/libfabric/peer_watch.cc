// Notices that the way to another host stays down, by what the kernel knows of TCP connections.
#include "ugni_emu/fabric/libfabric/peer_watch.h"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "corespec/host/os_thread.h"
#include "ugni_emu/fabric/libfabric/socket_place.h"

namespace ugni::fabric {
namespace {

constexpr int no_rank = -1;
// In parts of the timeout. Two looks in a row have to find silence: after a host has stood still,
// it is as old as that, until the kernel has asked.
constexpr std::int64_t looks = 12;
constexpr std::int64_t questions = 6;
constexpr std::int64_t silence_in_looks = 8;

/// This process's sockets.
std::vector<int> open_sockets() {
  std::vector<int> sockets;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
  if (!folder) return sockets;
  while (const dirent* const entry = readdir(folder.get())) {
    const int descriptor = std::atoi(static_cast<const char*>(entry->d_name));
    struct stat found {};
    if (fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode)) sockets.push_back(descriptor);
  }
  return sockets;
}

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

/// When nothing passes, the kernel asks the other end's.
void have_asked(int socket, std::int64_t every_ms) {
  constexpr int never_by_itself = 127;
  const int seconds = static_cast<int>(std::clamp<std::int64_t>(every_ms / 1000, 1, 32767));
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, never_by_itself);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

/// For how long nothing has come.
std::int64_t silence_ms(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      info.tcpi_state != TCP_ESTABLISHED) {
    return 0;
  }
  return std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv);
}

}  // namespace

PeerWatch::PeerWatch(corespec::EventDomain& domain, corespec::EventSource& source,
                     NetworkSockets sockets, std::atomic<std::uint32_t>& said,
                     corespec::Time timeout, Cut cut)
    : domain_(domain),
      source_(source),
      sockets_(std::move(sockets)),
      said_(said),
      timeout_ms_(static_cast<std::int64_t>(timeout.s() * 1000)),
      cut_(std::move(cut)) {
  expect_next();
}

void PeerWatch::expect_next() {
  constexpr std::int64_t ps_per_ms = 1'000'000'000;
  domain_.schedule(domain_.now() + corespec::Time::picoseconds(timeout_ms_ * ps_per_ms / looks),
                   source_, *this, 0);
}

void PeerWatch::fire(std::uint64_t) {
  const corespec::WithoutCancellation without_cancellation;
  end_if_said();
  const int rank = silent_rank();
  if (rank != no_rank && was_silent_) {
    cut_(rank, said_.exchange(1) == 0);
    return;
  }
  was_silent_ = rank != no_rank;
  expect_next();
}

void PeerWatch::end_if_said() {
  if (said_.load() != 0) cut_(no_rank, false);
}

int PeerWatch::silent_rank() {
  int silent = no_rank;
  for (const int socket : open_sockets()) {
    const int rank = rank_at(socket);
    if (rank == no_rank) continue;
    have_asked(socket, timeout_ms_ / questions);
    if (silence_ms(socket) > timeout_ms_ * silence_in_looks / looks) silent = rank;
  }
  return silent;
}

/// The rank that the socket leads to: the peer to whose address it has connected, or, from any
/// port, to this process's own; then some rank of that host. The program's own sockets lead to no
/// rank.
int PeerWatch::rank_at(int socket) const {
  const SocketPlace peer = peer_place(socket);
  if (peer.address.empty()) return no_rank;
  const bool accepted = own_place(socket).port == place_of(sockets_.own).port;
  for (const NetworkSockets::Peer& each : sockets_.peers) {
    const SocketPlace known = place_of(each.address);
    if (known == peer || (accepted && known.address == peer.address)) return each.rank;
  }
  return no_rank;
}

}  // namespace ugni::fabric
