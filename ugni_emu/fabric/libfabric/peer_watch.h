// Notices that the way to another host stays down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "corespec/events/event_domain.h"

namespace ugni::fabric {

/// The sockets of a network's transport and of its peers, as sockaddr.
struct NetworkSockets {
  struct Peer {
    int rank = 0;
    std::vector<std::byte> address;
  };
  std::vector<std::byte> own;
  std::vector<Peer> peers;  ///< on other hosts
};

/// Looks every now and then at the TCP connections that libfabric has made to the job's processes,
/// and has the kernel ask whether the other end is there when nothing else passes. The kernel
/// answers, too: a process that computes, or that a debugger has stopped, is there. What is down
/// for less than half the timeout goes unnoticed.
class PeerWatch final : public corespec::Event {
 public:
  /// `first`: of the processes of this host. Called once; the process is not to live on.
  using Cut = std::function<void(int rank, bool first)>;

  /// `said`: zero, in memory that the host's processes share. Begins at once.
  PeerWatch(corespec::EventDomain& domain, corespec::EventSource& source, NetworkSockets sockets,
            std::atomic<std::uint32_t>& said, corespec::Time timeout, Cut cut);

  void fire(std::uint64_t) override;
  /// To be called before this process complains of a lost peer: another of its host may have
  /// noticed, said so and ended.
  void end_if_said();

 private:
  int silent_rank();
  int rank_at(int socket) const;
  void expect_next();

  corespec::EventDomain& domain_;
  corespec::EventSource& source_;
  const NetworkSockets sockets_;
  std::atomic<std::uint32_t>& said_;
  const std::int64_t timeout_ms_;
  const Cut cut_;
  bool was_silent_ = false;
};

}  // namespace ugni::fabric
