// Where the members of a group are.
#include "netmod/mpi/topologies/node_places.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "ugni_emu/include/rca_lib.h"

namespace netmod {
namespace {

std::array<int, 3> coordinates_of(int nid) {
  rca_mesh_coord_t at{};
  if (nid > std::numeric_limits<std::uint16_t>::max() ||
      rca_get_meshcoord(static_cast<std::uint16_t>(nid), &at) != 0) {
    return {};
  }
  return {at.mesh_x, at.mesh_y, at.mesh_z};
}

/// Within a group a hop for each coordinate that differs; between groups as many as most routes
/// have.
int dragonfly_hops(const std::array<int, 3>& a, const std::array<int, 3>& b) {
  constexpr int between_groups = 5;
  if (a[0] != b[0]) return between_groups;
  return (a[1] != b[1] ? 1 : 0) + (a[2] != b[2] ? 1 : 0);
}

}  // namespace

NodePlaces::NodePlaces(const corespec::Job& job, const Group& group) {
  std::map<int, int> members;  // by nid
  for (int member = 0; member < group.size(); ++member) {
    ++members[job.nid_of(group.job_rank(member))];
  }
  for (const auto& [nid, count] : members) nodes_.push_back({nid, coordinates_of(nid), count});
  rca_mesh_coord_t greatest{};
  if (rca_get_max_dimension(&greatest) == 0) {
    torus_ = {greatest.mesh_x + 1, greatest.mesh_y + 1, greatest.mesh_z + 1};
  }
  int is_torus = 1;
  is_dragonfly_ = castor_rca_is_torus(&is_torus) == 0 && is_torus == 0;
  // A dragonfly's nids go by group, chassis and slot: neighbours follow each other already.
  if (!is_dragonfly_) halve(nodes_.data(), nodes_.data() + nodes_.size());
  for (int node = 0; node < nodes(); ++node) {
    members[nodes_[static_cast<std::size_t>(node)].nid] = node;
  }
  for (int member = 0; member < group.size(); ++member) {
    node_of_.push_back(members[job.nid_of(group.job_rank(member))]);
  }
  members_.resize(node_of_.size());
  std::iota(members_.begin(), members_.end(), 0);
  std::stable_sort(members_.begin(), members_.end(),
                   [this](int a, int b) { return node_of(a) < node_of(b); });
  members_by_nid_ = members_;
  const auto nid_of = [this](int member) {
    return nodes_[static_cast<std::size_t>(node_of(member))].nid;
  };
  std::stable_sort(members_by_nid_.begin(), members_by_nid_.end(),
                   [&](int a, int b) { return nid_of(a) < nid_of(b); });
}

void NodePlaces::halve(Node* begin, Node* end) {
  if (end - begin < 2) return;
  std::size_t longest = 0;
  int length = -1;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto [low, high] = std::minmax_element(
        begin, end, [d](const Node& a, const Node& b) { return a.at[d] < b.at[d]; });
    if (high->at[d] - low->at[d] <= length) continue;
    length = high->at[d] - low->at[d];
    longest = d;
  }
  std::sort(begin, end, [longest](const Node& a, const Node& b) {
    return std::tie(a.at[longest], a.at, a.nid) < std::tie(b.at[longest], b.at, b.nid);
  });
  Node* const middle = begin + (end - begin) / 2;
  halve(begin, middle);
  halve(middle, end);
}

int NodePlaces::hops(int from, int to) const {
  const auto& a = nodes_[static_cast<std::size_t>(from)].at;
  const auto& b = nodes_[static_cast<std::size_t>(to)].at;
  if (is_dragonfly_) return dragonfly_hops(a, b);
  int sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const int straight = std::abs(a[d] - b[d]);
    sum += std::min(straight, torus_[d] - straight);
  }
  return sum;
}

}  // namespace netmod
