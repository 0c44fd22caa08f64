// ARMCI functions: groups and nodes.
#include <algorithm>
#include <numeric>
#include <vector>

#include "armci/api/armci_call.h"
#include "corespec/job/job.h"

using armci::Call;
using armci::Group;
using armci::State;

namespace armci {

const Group* find_group(State& state, const void* handle) {
  if (handle == nullptr) return nullptr;
  const auto found = state.groups.find(*static_cast<const MPI_Comm*>(handle));
  return found == state.groups.end() ? nullptr : &found->second;
}

}  // namespace armci

namespace {

/// The whole of what programs see of a group in the newer dialect; the classic one has the
/// communicator only.
void describe(const Group* group, ARMCI_Group* to) {
  *to = {};
  to->noncoll_pgroup_comm = MPI_COMM_NULL;
  to->comm = group == nullptr ? MPI_COMM_NULL : group->comm;
  to->rank = group == nullptr ? -1 : group->rank;
  to->size = group == nullptr ? 0 : static_cast<int>(group->world_ranks.size());
}

/// All ranks of a list have given the same one: the communicator's are the list's, in its order.
void check_members(MPI_Comm comm, const std::vector<int>& ranks, MPI_Comm parent,
                   const char* function) {
  MPI_Group made = MPI_GROUP_NULL;
  MPI_Group of = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_group(comm, &made);
  PMPI_Comm_group(parent, &of);
  std::vector<int> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  std::vector<int> found(places.size());
  PMPI_Group_translate_ranks(made, size, places.data(), of, found.data());
  PMPI_Group_free(&made);
  PMPI_Group_free(&of);
  if (found != ranks) armci::fail(function, "the ranks of a list have given different lists");
}

/// Collective over the parent, whose ranks may make several groups in one call: a rank names the
/// group that it is in, or, if it is in none, any. Null for a rank that its own list does not have.
const Group* create(State& state, int n, const int* ranks, const Group& parent,
                    const char* function) {
  const auto size = static_cast<int>(parent.world_ranks.size());
  const auto known = [size](int rank) { return rank >= 0 && rank < size; };
  if (n < 0 || (n > 0 && ranks == nullptr) || !std::all_of(ranks, ranks + n, known)) {
    armci::fail(function, "a rank that the parent group does not have");
  }
  std::vector<int> sorted(ranks, ranks + n);
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    armci::fail(function, "a rank that is listed twice");
  }
  const int* own = std::find(ranks, ranks + n, parent.rank);
  const bool in = own != ranks + n;
  MPI_Comm comm = MPI_COMM_NULL;
  // Groups that have no rank in common have different lowest ranks. Ranks in the new group follow
  // the list.
  PMPI_Comm_split(parent.comm, in ? sorted.front() : MPI_UNDEFINED, static_cast<int>(own - ranks),
                  &comm);
  if (!in) return nullptr;
  check_members(comm, {ranks, ranks + n}, parent.comm, function);
  Group group;
  group.comm = comm;
  group.rank = static_cast<int>(own - ranks);
  for (int i = 0; i < n; ++i) {
    group.world_ranks.push_back(parent.world_ranks[static_cast<std::size_t>(ranks[i])]);
  }
  return &state.groups.emplace(comm, std::move(group)).first->second;
}

const Group* create_in(int n, const int* ranks, const void* parent, const char* function) {
  const Call call(function);
  State& state = call.state();
  const void* handle = parent == nullptr ? &state.default_group : parent;
  const Group* found = armci::find_group(state, handle);
  if (found == nullptr) armci::fail(function, "no such parent group");
  return create(state, n, ranks, *found, function);
}

const Group* default_group() {
  const Call call("ARMCI_Group_get_default");
  return armci::find_group(call.state(), &call->default_group);
}

const Group* world_group() {
  const Call call("ARMCI_Group_get_world");
  return &call->groups.at(call->world());
}

MPI_Comm comm_of(const Group* group) { return group == nullptr ? MPI_COMM_NULL : group->comm; }

/// Nodes by their ranks: the n-th node is the one whose lowest rank is the n-th such.
int node_of(State& state, int rank) {
  const int leader = state.peers().leader_of(rank);
  int node = 0;
  for (int other = 0; other < leader; ++other) {
    if (state.peers().leader_of(other) == other) ++node;
  }
  return node;
}

std::vector<int> ranks_of_node(State& state, int id) {
  corespec::Job& job = state.process().job();
  if (id < 0) return job.ranks_on(state.process().node().nid());
  int node = 0;
  for (int rank = 0; rank < state.size(); ++rank) {
    if (state.peers().leader_of(rank) != rank) continue;
    if (node++ == id) return job.ranks_on(job.nid_of(rank));
  }
  armci::fail("armci_domain", "there is no such node");
}

}  // namespace

extern "C" {

void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group) {
  describe(create_in(n, pid_list, nullptr, "ARMCI_Group_create"), group);
}
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group, ARMCI_Group* parent) {
  describe(create_in(n, pid_list, parent, "ARMCI_Group_create_child"), group);
}
void ARMCI_Group_get_default(ARMCI_Group* group) { describe(default_group(), group); }
void ARMCI_Group_get_world(ARMCI_Group* group) { describe(world_group(), group); }

void ARMCI_Group_create_classic(int n, int* pid_list, int* group) {
  *group = comm_of(create_in(n, pid_list, nullptr, "ARMCI_Group_create"));
}
void ARMCI_Group_create_child_classic(int n, int* pid_list, int* group, int* parent) {
  *group = comm_of(create_in(n, pid_list, parent, "ARMCI_Group_create_child"));
}
void ARMCI_Group_get_default_classic(int* group) { *group = comm_of(default_group()); }
void ARMCI_Group_get_world_classic(int* group) { *group = comm_of(world_group()); }

void ARMCI_Group_free(ARMCI_Group* group) {
  const Call call("ARMCI_Group_free");
  const Group* found = armci::find_group(call.state(), group);
  if (found == nullptr || found->comm == call->world()) return;
  MPI_Comm comm = found->comm;
  call->groups.erase(comm);
  if (call->default_group == comm) call->default_group = call->world();
  PMPI_Comm_free(&comm);
  *reinterpret_cast<MPI_Comm*>(group) = MPI_COMM_NULL;
}

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  const Call call("ARMCI_Group_rank");
  const Group* found = armci::find_group(call.state(), group);
  if (rank == nullptr) return armci::bad_base;
  *rank = found == nullptr ? -1 : found->rank;
  return found == nullptr ? armci::bad_proc : armci::ok;
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
  const Call call("ARMCI_Group_size");
  const Group* found = armci::find_group(call.state(), group);
  if (size != nullptr) *size = found == nullptr ? 0 : static_cast<int>(found->world_ranks.size());
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
  const Call call("ARMCI_Group_set_default");
  const Group* found = armci::find_group(call.state(), group);
  if (found == nullptr) armci::fail("ARMCI_Group_set_default", "no such group");
  call->default_group = found->comm;
}

int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
  const Call call("ARMCI_Absolute_id");
  const Group* found = armci::find_group(call.state(), group);
  if (found == nullptr || group_rank < 0 ||
      group_rank >= static_cast<int>(found->world_ranks.size())) {
    armci::fail("ARMCI_Absolute_id", "no such rank in the group");
  }
  return found->world_ranks[static_cast<std::size_t>(group_rank)];
}

MPI_Comm armci_group_comm(ARMCI_Group* group) {
  const Call call("armci_group_comm");
  return comm_of(armci::find_group(call.state(), group));
}

int armci_domain_nprocs(armci_domain_t, int id) {
  const Call call("armci_domain_nprocs");
  return static_cast<int>(ranks_of_node(call.state(), id).size());
}
int armci_domain_id(armci_domain_t, int world_rank) {
  const Call call("armci_domain_id");
  if (!call.is_rank(world_rank)) armci::fail("armci_domain_id", "no such rank");
  return node_of(call.state(), world_rank);
}
int armci_domain_glob_proc_id(armci_domain_t, int id, int local_rank) {
  const Call call("armci_domain_glob_proc_id");
  const std::vector<int> ranks = ranks_of_node(call.state(), id);
  if (local_rank < 0 || local_rank >= static_cast<int>(ranks.size())) {
    armci::fail("armci_domain_glob_proc_id", "no such rank on that node");
  }
  return ranks[static_cast<std::size_t>(local_rank)];
}
int armci_domain_my_id(armci_domain_t) {
  const Call call("armci_domain_my_id");
  return node_of(call.state(), call->rank());
}
int armci_domain_count(armci_domain_t) {
  const Call call("armci_domain_count");
  int nodes = 0;
  for (int rank = 0; rank < call->size(); ++rank) {
    if (call->peers().leader_of(rank) == rank) ++nodes;
  }
  return nodes;
}
int armci_domain_same_id(armci_domain_t, int proc) {
  const Call call("armci_domain_same_id");
  if (!call.is_rank(proc)) armci::fail("armci_domain_same_id", "no such rank");
  return call->peers().leader_of(proc) == call->peers().leader_of(call->rank()) ? 1 : 0;
}
int ARMCI_Same_node(int proc) { return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc); }
int armci_sameclusnode(int proc) { return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc); }

}  // extern "C"
