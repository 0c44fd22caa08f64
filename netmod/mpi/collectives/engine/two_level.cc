// Which ranks of a communicator share a node: by arithmetic or by tables.
#include "netmod/mpi/collectives/engine/two_level.h"

#include <algorithm>
#include <cstdlib>

#include "corespec/threads/node.h"
#include "netmod/mpi/calls/rank_state.h"

namespace netmod {
namespace {

/// Number of a value in an ascending table that holds it.
int number_in(const std::vector<int>& table, int value) {
  return static_cast<int>(std::lower_bound(table.begin(), table.end(), value) - table.begin());
}

/// A group's nodes where job ranks fill nodes in order, `block` to each, and members are `stride`
/// job ranks apart: a node's members are neighbours in the communicator.
class Blocks {
 public:
  Blocks(const Group& group, int block)
      : group_(&group), block_(block), distance_(std::abs(group.stride())) {
    first_node_ = node(0);
    count_ = number(group.size() - 1) + 1;
  }
  int count() const { return count_; }
  /// Which node a member is on, counted in the order of members.
  int number(int member) const {
    return scattered() ? member : std::abs(node(member) - first_node_);
  }
  /// The first members of all nodes: each is the first at or beyond its node's border.
  Lineup leaders(int self) const {
    if (scattered()) return Lineup::range(0, count_, self);
    const int first = group_->job_rank(0);
    const int offset = group_->stride() > 0 ? first_node_ * block_ - first + distance_ - 1
                                            : first - (first_node_ + 1) * block_ + distance_;
    return Lineup::rule(count_, self, block_, offset, distance_);
  }

 private:
  /// No two members share a node.
  bool scattered() const { return distance_ >= block_; }
  int node(int member) const { return group_->job_rank(member) / block_; }

  const Group* group_;
  int block_;
  int distance_;
  int first_node_ = 0;
  int count_ = 0;
};

void find_members(const RankState& rank, const Communicator& comm, NodeTable& nodes) {
  const int nid = rank.process().node().nid();
  if (!comm.group.has_table()) {
    for (const int job_rank : rank.job().ranks_on(nid)) {
      const int member = comm.group.member(job_rank);
      if (member >= 0) nodes.members.push_back(member);
    }
    std::sort(nodes.members.begin(), nodes.members.end());
    return;
  }
  for (int member = 0; member < comm.size(); ++member) {
    if (rank.job().nid_of(comm.group.job_rank(member)) == nid) nodes.members.push_back(member);
  }
}

void find_leaders(const RankState& rank, const Communicator& comm, NodeTable& nodes) {
  std::vector<std::pair<int, int>>& found = nodes.numbers;  // nid, member
  found.reserve(static_cast<std::size_t>(comm.size()));
  for (int member = 0; member < comm.size(); ++member) {
    found.emplace_back(rank.job().nid_of(comm.group.job_rank(member)), member);
  }
  std::sort(found.begin(), found.end());
  const auto same_node = [](const auto& a, const auto& b) { return a.first == b.first; };
  found.erase(std::unique(found.begin(), found.end(), same_node), found.end());
  found.shrink_to_fit();
  nodes.leaders.reserve(found.size());
  for (const auto& [nid, leader] : found) nodes.leaders.push_back(leader);
  std::sort(nodes.leaders.begin(), nodes.leaders.end());
  for (auto& [nid, leader] : found) leader = number_in(nodes.leaders, leader);
}

/// Of the world, and what has the same members, the job may have the leaders: one table for all
/// ranks.
const std::vector<int>* jobs_leaders(const RankState& rank, const Communicator& comm) {
  const bool world =
      !comm.group.has_table() && comm.size() == rank.job().size() && comm.group.job_rank(0) == 0;
  return world ? rank.job().lowest_ranks() : nullptr;
}

int number_of_node(const RankState& rank, const NodeTable& nodes,
                   const std::vector<int>* jobs_leaders, int nid) {
  if (jobs_leaders != nullptr) {
    const std::vector<int> ranks = rank.job().ranks_on(nid);
    return number_in(*jobs_leaders, *std::min_element(ranks.begin(), ranks.end()));
  }
  return std::lower_bound(nodes.numbers.begin(), nodes.numbers.end(), std::pair(nid, 0))->second;
}

}  // namespace

TwoLevel::TwoLevel(const RankState& rank, const Communicator& comm, int root) {
  if (!rank.parameters().smp_collectives || comm.size() < 2) return;
  const int block = rank.job().ranks_per_node();
  if (block > 0 && !comm.group.has_table()) {
    find_by_rule(comm, block, root);
  } else {
    find_by_table(rank, comm, root);
  }
}

void TwoLevel::find_by_rule(const Communicator& comm, int ranks_per_node, int root) {
  const Blocks blocks(comm.group, ranks_per_node);
  use_ = blocks.count() > 1;
  if (!use_) return;
  const int number = blocks.number(comm.rank);
  leaders_ = blocks.leaders(number);
  const int first = leaders_.at(number);
  const int end = number + 1 < blocks.count() ? leaders_.at(number + 1) : comm.size();
  node_ = Lineup::range(first, end - first, comm.rank - first);
  if (root == no_root) return;
  root_number_ = blocks.number(root);
  if (root_number_ == number) head_ = root - first;
  leaders_ = leaders_.with(root_number_, root);
}

void TwoLevel::find_by_table(const RankState& rank, const Communicator& comm, int root) {
  if (comm.nodes == nullptr) {
    comm.nodes = std::make_unique<NodeTable>();
    find_members(rank, comm, *comm.nodes);
  }
  NodeTable& nodes = *comm.nodes;
  const auto members = static_cast<int>(nodes.members.size());
  use_ = members < comm.size();
  if (!use_) return;
  node_ = Lineup::table(nodes.members.data(), members, number_in(nodes.members, comm.rank));
  const int own_nid = rank.process().node().nid();
  const int root_nid = root == no_root ? -1 : rank.job().nid_of(comm.group.job_rank(root));
  if (root_nid == own_nid) head_ = number_in(nodes.members, root);
  if (!leads()) return;
  const std::vector<int>* const known = jobs_leaders(rank, comm);
  if (known == nullptr && nodes.leaders.empty()) find_leaders(rank, comm, nodes);
  const std::vector<int>& leaders = known == nullptr ? nodes.leaders : *known;
  leaders_ = Lineup::table(leaders.data(), static_cast<int>(leaders.size()),
                           number_of_node(rank, nodes, known, own_nid));
  if (root == no_root) return;
  root_number_ = number_of_node(rank, nodes, known, root_nid);
  leaders_ = leaders_.with(root_number_, root);
}

}  // namespace netmod
