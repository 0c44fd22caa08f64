// A node on the live clock, as one process of it sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/live/host_placement.h"
#include "corespec/live/live_domain.h"
#include "corespec/threads/node.h"

namespace corespec {

/// What the processes of one node share: memory by name, and each other's process ids. Nothing of
/// it has a name in a file system that could stay behind.
class SharedNodeMemory : public NodeMemory {
 public:
  /// Collective over the node's processes, one per local rank: `leader_fd` is an open memory file
  /// (memfd) of the first one's, `leader_pid` its process; see make_file(). `pids` by local rank.
  static int make_file();
  SharedNodeMemory(int leader_pid, int leader_fd, std::vector<int> ranks, std::vector<int> pids);
  // NodeMemory; segment() and signal() find the same memory in every process under one name.
};

class LiveNode final : public Node {
 public:
  struct Identity {
    int nid = 0;
    int local_rank = 0;
    int local_ranks = 1;
  };
  LiveNode(Identity identity, const Parameters& parameters, LiveDomain& domain,
           std::unique_ptr<NodeMemory> memory, HostPlacement placement);
  ~LiveNode() override;

  // Node, and:
  /// Makes the calling OS thread the main thread of `process`: binds it.
  Thread& adopt_main_thread(Process& process);
  /// Starts / ends the thread that serves the domain.
  void start_service();
  void stop_service();
};

}  // namespace corespec
