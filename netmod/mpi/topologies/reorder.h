// Gives the members of a new communicator the numbers that a mapping finds for them.
#pragma once

#include <utility>
#include <vector>

#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/topologies/node_places.h"

namespace netmod {

/// Collective over `old`, once `made` (null: the caller is not in it) has been made of its first
/// `size` members. `find(NodePlaces)` gives the member for each number; it is asked at one rank,
/// and all hear what it says. Returns that.
template <class Find>
std::vector<int> reorder(RankState& rank, const Communicator& old, Communicator* made, int size,
                         const Find& find) {
  std::vector<int> member_at(static_cast<std::size_t>(size));
  if (old.rank == 0) member_at = find(NodePlaces(rank.job(), old.group.head(size)));
  broadcast(CollectiveCall{rank, old}, reinterpret_cast<std::byte*>(member_at.data()),
            static_cast<std::int64_t>(member_at.size() * sizeof(int)), 0);
  if (made == nullptr) return member_at;
  std::vector<int> members;
  members.reserve(member_at.size());
  for (const int member : member_at) members.push_back(old.group.job_rank(member));
  made->group = Group(std::move(members));
  made->rank = made->group.member(rank.process().rank());
  return member_at;
}

}  // namespace netmod
