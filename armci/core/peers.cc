// What all ranks have published about themselves.
#include "armci/core/peers.h"

namespace armci {

int PeerTable::leader_of(int rank) const {
  const corespec::Job& job = process_->job();
  if (const int each = job.ranks_per_node()) return rank / each * each;
  return job.leader_of(rank);
}

}  // namespace armci
