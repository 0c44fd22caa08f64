// Making intercommunicators: the first ranks (or leaders) of two groups tell each other about them.
#include "netmod/mpi/communicators/intercommunicator.h"

#include <algorithm>
#include <array>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/highest.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {
namespace {

std::byte* bytes_of(auto& items) { return reinterpret_cast<std::byte*>(items.data()); }
std::int64_t size_of(const auto& items) {
  return static_cast<std::int64_t>(items.size() * sizeof(items[0]));
}

/// A list of integers for the other group's list: `between` at the leader (local rank `leader`) is
/// the way to the other one, null elsewhere.
std::vector<int> swap_lists(const CollectiveCall& local, const std::vector<int>& mine, int leader,
                            const Transfer* between, int remote_leader) {
  std::array<int, 1> out{static_cast<int>(mine.size())};
  std::array<int, 1> in{};
  if (between != nullptr) {
    between->exchange(bytes_of(out), sizeof out, remote_leader, bytes_of(in), sizeof in,
                      remote_leader);
  }
  broadcast(local, bytes_of(in), sizeof in, leader);
  std::vector<int> theirs = corespec::rank_vector<int>(in[0]);
  if (between != nullptr) {
    between->exchange(mine.data(), size_of(mine), remote_leader, theirs.data(), size_of(theirs),
                      remote_leader);
  }
  if (!theirs.empty()) broadcast(local, bytes_of(theirs), size_of(theirs), leader);
  return theirs;
}

/// The same between the groups of an intercommunicator.
std::vector<int> swap_lists(const CollectiveCall& call, const std::vector<int>& mine) {
  if (call.comm.rank != 0) return swap_lists(call, mine, 0, nullptr, 0);
  const Transfer between = Transfer::remote(call);
  return swap_lists(call, mine, 0, &between, 0);
}

/// A group in integers: its rule (never a stride of 0), or 0 and its members.
std::vector<int> described(const Group& group) {
  const corespec::RankMemory own;
  if (!group.has_table()) return {group.stride(), group.job_rank(0), group.size()};
  std::vector<int> list = group.job_ranks();
  list.insert(list.begin(), 0);
  return list;
}
Group group_of(const std::vector<int>& list) {
  if (list[0] != 0) return Group(list[1], list[0], list[2]);
  return Group(std::vector<int>(list.begin() + 1, list.end()));
}

Communicator& add_intercommunicator(RankState& rank, const Communicator& like, Group group,
                                    Group remote, std::uint32_t context) {
  Communicator& made = add_communicator(rank, like, std::move(group), context);
  made.remote = std::make_unique<const Group>(std::move(remote));
  return made;
}

/// The job's ranks of those of `group` with this color, by key, then by rank.
Group with_color(const Group& group, const std::vector<int>& choices, int color) {
  std::vector<std::pair<int, int>> members;  // key, rank
  for (int i = 0; i < group.size(); ++i) {
    const auto at = 2 * static_cast<std::size_t>(i);
    if (choices[at] == color) members.emplace_back(choices[at + 1], i);
  }
  std::sort(members.begin(), members.end());
  std::vector<int> job_ranks;
  job_ranks.reserve(members.size());
  for (const auto& [key, member] : members) job_ranks.push_back(group.job_rank(member));
  return Group(std::move(job_ranks));
}

}  // namespace

Communicator& make_intercommunicator(RankState& rank, const Communicator& local,
                                     const Leaders& leaders) {
  const CollectiveCall call{rank, local};
  const bool leads = local.rank == leaders.local;
  const Communicator& peer = leads ? rank.communicators().named(leaders.peer_comm) : local;
  const CollectiveCall peer_call{rank, peer};
  const int tag =
      create_intercommunicator_tags + (leads ? leaders.tag : 0) % create_intercommunicator_tags;
  const Transfer peers = Transfer::tagged(peer_call, tag);
  const Transfer* between = leads ? &peers : nullptr;
  barrier(call);  // a rank that hears of the other group knows that all have entered
  std::vector<int> key{static_cast<int>(peer.context), leads ? leaders.tag : 0};
  broadcast(call, bytes_of(key), size_of(key), leaders.local);
  Group theirs =
      group_of(swap_lists(call, described(local.group), leaders.local, between, leaders.remote));
  for (const int member : local.group.members_of(theirs.job_ranks())) {
    if (member >= 0) fail(MPI_ERR_COMM, "the two groups have members in common");
  }
  const Reduction highest = highest_of(rank);
  const auto round = [&](std::array<std::uint32_t, 2>& offer) {
    std::array<std::uint32_t, 2> own = offer;
    std::array<std::uint32_t, 2> other{};
    reduce(call, highest, bytes_of(offer), bytes_of(own), 2, leaders.local);
    if (leads) {
      between->exchange(bytes_of(own), sizeof own, leaders.remote, bytes_of(other), sizeof other,
                        leaders.remote);
      for (std::size_t i = 0; i < own.size(); ++i) offer[i] = std::max(own[i], other[i]);
    }
    broadcast(call, bytes_of(offer), sizeof offer, leaders.local);
  };
  const ContextKey number{static_cast<std::uint32_t>(key[0]), -1 - key[1]};
  const std::uint32_t context = checked_context(
      agree(rank.communicators().late_contexts(), number, failure_for_room(rank), round));
  return add_intercommunicator(rank, local, local.group, std::move(theirs), context);
}

Communicator& merge_intercommunicator(RankState& rank, const Communicator& inter, bool high) {
  const CollectiveCall call{rank, inter};
  const std::vector<int> theirs = swap_lists(call, {high ? 1 : 0});
  const bool they_are_high = theirs[0] != 0;
  const bool first =
      high == they_are_high ? inter.group.job_rank(0) < inter.remote->job_rank(0) : !high;
  const std::uint32_t context = agree_on_context(rank, inter, {});
  std::vector<int> members = (first ? inter.group : *inter.remote).job_ranks();
  for (const int member : (first ? *inter.remote : inter.group).job_ranks()) {
    members.push_back(member);
  }
  return add_communicator(rank, inter, Group(std::move(members)), context);
}

Communicator* split_intercommunicator(RankState& rank, const Communicator& inter, int color,
                                      int key, const Verdict& verdict) {
  const CollectiveCall call{rank, inter};
  std::vector<int> mine = corespec::rank_vector<int>(2 * inter.size());
  const auto own = 2 * static_cast<std::size_t>(inter.rank);
  mine[own] = color;
  mine[own + 1] = key;
  allgather(call, bytes_of(mine), 2 * sizeof(int));
  const std::vector<int> theirs = swap_lists(call, mine);
  const std::uint32_t context = agree_on_context(rank, inter, verdict);
  if (color == MPI_UNDEFINED) return nullptr;
  Group remote = with_color(*inter.remote, theirs, color);
  if (remote.size() == 0) return nullptr;
  return &add_intercommunicator(rank, inter, with_color(inter.group, mine, color),
                                std::move(remote), context);
}

Communicator* part_of_intercommunicator(RankState& rank, const Communicator& inter,
                                        const Group& members, const Verdict& verdict) {
  Group theirs = group_of(swap_lists(CollectiveCall{rank, inter}, described(members)));
  const std::uint32_t context = agree_on_context(rank, inter, verdict);
  if (theirs.size() == 0 || members.member(rank.process().rank()) < 0) return nullptr;
  return &add_intercommunicator(rank, inter, members, std::move(theirs), context);
}

}  // namespace netmod
