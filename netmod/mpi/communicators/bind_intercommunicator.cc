// MPI functions: intercommunicators.
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/communicators/intercommunicator.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"

namespace netmod {
namespace {

const Communicator& intercommunicator(RankState& rank, MPI_Comm handle) {
  const Communicator& found = rank.communicators().named(handle);
  if (!found.inter()) fail(MPI_ERR_COMM, "comm is not an intercommunicator");
  return found;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Communicator;
using netmod::RankState;

extern "C" {

int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  return call("MPI_Comm_remote_size", comm, [&](RankState& rank) {
    const Communicator& on = netmod::intercommunicator(rank, comm);
    check_pointer(size, "size");
    *size = on.remote->size();
  });
}
NETMOD_PUBLISH(Comm_remote_size);

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return call("MPI_Comm_remote_group", comm, [&](RankState& rank) {
    const Communicator& on = netmod::intercommunicator(rank, comm);
    check_pointer(group, "group");
    *group = rank.communicators().add_group(*on.remote);
  });
}
NETMOD_PUBLISH(Comm_remote_group);

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm* newintercomm) {
  return call("MPI_Intercomm_create", local_comm, [&](RankState& rank) {
    const Communicator& local = netmod::intracommunicator(rank, local_comm);
    netmod::check_new(newintercomm, "newintercomm");
    if (local_leader < 0 || local_leader >= local.size()) {
      netmod::fail_rank(local, local_leader, "local_leader", false);
    }
    if (local.rank == local_leader) {
      const Communicator& peer = rank.communicators().named(peer_comm);
      if (remote_leader < 0 || remote_leader >= peer.peers().size()) {
        netmod::fail_rank(peer, remote_leader, "remote_leader", false);
      }
      netmod::check_send_tag(tag);
    }
    local.enter();
    const netmod::Leaders leaders{local_leader, peer_comm, remote_leader, tag};
    *newintercomm = netmod::make_intercommunicator(rank, local, leaders).handle;
  });
}
NETMOD_PUBLISH(Intercomm_create);

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return call("MPI_Intercomm_merge", intercomm, [&](RankState& rank) {
    const Communicator& inter = netmod::intercommunicator(rank, intercomm);
    netmod::check_new(newintracomm, "newintracomm");
    inter.enter();
    *newintracomm = netmod::merge_intercommunicator(rank, inter, high != 0).handle;
  });
}
NETMOD_PUBLISH(Intercomm_merge);

}  // extern "C"
