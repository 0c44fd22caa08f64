// What all ranks have published about themselves.
#pragma once

#include <cstdint>

#include "armci/core/helper_request.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"

namespace armci {

/// One table to a node, in node memory, filled before ARMCI_Init ends.
class PeerTable {
 public:
  PeerTable(corespec::Process& process, const Peer* peers) : process_(&process), peers_(peers) {}

  const Peer& operator[](int rank) const { return peers_[rank]; }
  /// The lowest rank of a rank's node: whose process the helper thread belongs to.
  int leader_of(int rank) const;
  /// The helper's instance among the ports: see RmaPort.
  int helper_of(int rank) const { return process_->job().size() + leader_of(rank); }
  corespec::Process& process() const { return *process_; }

 private:
  corespec::Process* process_;
  const Peer* peers_;
};

}  // namespace armci
