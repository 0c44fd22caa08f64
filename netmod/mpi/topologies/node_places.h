// Where the members of a group are: on which nodes, and how far these are from each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corespec/job/job.h"
#include "netmod/mpi/groups/group.h"

namespace netmod {

/// The group's nodes have numbers of their own, in an order in which near ones follow each other:
/// their box in the torus is halved along its longest side, then each half; on a dragonfly they
/// stand by nid. Where RCA knows no coordinates they do so, too, and their distances are 0. Equal
/// at all members.
class NodePlaces {
 public:
  NodePlaces(const corespec::Job& job, const Group& group);

  int nodes() const { return static_cast<int>(nodes_.size()); }
  int node_of(int member) const { return node_of_[static_cast<std::size_t>(member)]; }
  /// All members, node by node.
  const std::vector<int>& members() const { return members_; }
  /// The same with the nodes by nid, as ALPS fills them.
  const std::vector<int>& members_by_nid() const { return members_by_nid_; }
  /// How many members a node has.
  int room(int node) const { return nodes_[static_cast<std::size_t>(node)].members; }
  /// Hops between two nodes' routers; between groups of a dragonfly always five.
  int hops(int from, int to) const;

 private:
  struct Node {
    int nid = 0;
    std::array<int, 3> at{};
    int members = 0;
  };
  static void halve(Node* begin, Node* end);

  std::vector<Node> nodes_;
  std::array<int, 3> torus_{1, 1, 1};
  bool is_dragonfly_ = false;
  std::vector<int> node_of_;  ///< by member
  std::vector<int> members_, members_by_nid_;
};

/// What a mapping costs: the weight of edges between nodes, times what they pass, a NIC's port and
/// the hops (bytes x hops). Less is better.
struct MappingCost {
  std::int64_t way = 0;

  void add(const NodePlaces& places, int from, int to, std::int64_t weight) {
    if (from != to) way += weight * (1 + places.hops(from, to));
  }
  auto operator<=>(const MappingCost&) const = default;
};

}  // namespace netmod
