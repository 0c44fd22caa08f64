// Which ranks of a communicator share a node: for collectives in two levels.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "netmod/mpi/collectives/engine/lineup.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {

class RankState;

/// A communicator as nodes with a leader each: the lowest rank there or, if the collective has a
/// root, on its node the root. Where the launcher fills nodes in order and ranks are regular (the
/// world, blocks, every n-th rank) all of it is arithmetic; else NodeTables hold it.
class TwoLevel {
 public:
  static constexpr int no_root = -1;
  TwoLevel() = default;  ///< not to be used
  TwoLevel(const RankState& rank, const Communicator& comm, int root = no_root);

  /// False: all members are on one node, or two levels are switched off. Then the rest is unset.
  /// Every member of the communicator finds the same.
  bool use() const { return use_; }
  /// The members on the caller's node, and the leader's number among them.
  const Lineup& node() const { return node_; }
  int head() const { return head_; }
  bool leads() const { return node_.self() == head_; }
  /// At leaders: one rank of each node, and the number of the root's node (0 without a root).
  const Lineup& leaders() const { return leaders_; }
  int root_number() const { return root_number_; }

 private:
  void find_by_rule(const Communicator& comm, int ranks_per_node, int root);
  void find_by_table(const RankState& rank, const Communicator& comm, int root);

  bool use_ = false;
  int head_ = 0;
  int root_number_ = 0;
  Lineup node_;
  Lineup leaders_;
};

}  // namespace netmod
