// Parts of a graph for nodes.
#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "netmod/mpi/topologies/mapping.h"

namespace netmod {
namespace {

/// Places of the graph without a member, the most wanted first.
class Growth {
 public:
  Growth(int size, const std::vector<Edge>& edges)
      : edges_of_(static_cast<std::size_t>(size)), wishes_(static_cast<std::size_t>(size)) {
    for (const Edge& edge : edges) {
      if (edge.source == edge.destination) continue;
      edges_of_[index(edge.source)].push_back({edge.destination, edge.weight});
      edges_of_[index(edge.destination)].push_back({edge.source, edge.weight});
    }
    for (int place = 0; place < size; ++place) free_.insert(key(place));
  }

  /// Its members are no neighbours on the same node any longer.
  void next_node() {
    for (const int place : near_) change(place, [](Wish& wish) { wish.here = wish.since = 0; });
    near_.clear();
  }

  /// For a member of the node.
  int take() {
    const int taken = std::get<3>(*free_.begin());
    free_.erase(free_.begin());
    wishes_[index(taken)].free = false;
    for (const auto& [other, weight] : edges_of_[index(taken)]) {
      near_.push_back(other);
      change(other, [by = weight, since = static_cast<int>(near_.size())](Wish& wish) {
        if (wish.since == 0) wish.since = since;
        wish.here += by;
        wish.anywhere += by;
      });
    }
    return taken;
  }

 private:
  struct Wish {
    std::int64_t here = 0;      ///< weight to the places on the node
    std::int64_t anywhere = 0;  ///< to all that have a member
    int since = 0;              ///< lower: for longer a neighbour of the places on the node
    bool free = true;
  };
  /// The least is wanted most. Of equally heavy ones the oldest neighbours: so parts grow round.
  using Key = std::tuple<std::int64_t, std::int64_t, int, int>;

  static std::size_t index(int place) { return static_cast<std::size_t>(place); }
  Key key(int place) const {
    const Wish& wish = wishes_[index(place)];
    return {-wish.here, -wish.anywhere, wish.since, place};
  }
  template <class Change>
  void change(int place, const Change& by) {
    Wish& wish = wishes_[index(place)];
    if (!wish.free) return;
    free_.erase(key(place));
    by(wish);
    free_.insert(key(place));
  }

  std::vector<std::vector<std::pair<int, int>>> edges_of_;  ///< by place: other end, weight
  std::vector<Wish> wishes_;                                ///< by place
  std::set<Key> free_;
  std::vector<int> near_;  ///< with an edge to the node's places; some more than once
};

MappingCost cost_of(const std::vector<Edge>& edges, const NodePlaces& places,
                    const std::vector<int>& member_at) {
  MappingCost cost;
  const auto node_at = [&](int place) {
    return places.node_of(member_at[static_cast<std::size_t>(place)]);
  };
  for (const Edge& edge : edges) {
    cost.add(places, node_at(edge.source), node_at(edge.destination), edge.weight);
  }
  return cost;
}

}  // namespace

int place_of(const std::vector<int>& member_at, int member) {
  return static_cast<int>(std::find(member_at.begin(), member_at.end(), member) -
                          member_at.begin());
}

std::vector<int> map_graph(const std::vector<Edge>& edges, const NodePlaces& places) {
  const std::size_t size = places.members().size();
  std::vector<int> own(size);
  std::iota(own.begin(), own.end(), 0);
  if (places.nodes() < 2) return own;
  Growth growth(static_cast<int>(size), edges);
  std::vector<int> mapped(size);
  auto member = places.members().begin();
  for (int node = 0; node < places.nodes(); ++node) {
    growth.next_node();
    for (int i = 0; i < places.room(node); ++i) {
      mapped[static_cast<std::size_t>(growth.take())] = *member++;
    }
  }
  return cost_of(edges, places, mapped) < cost_of(edges, places, own) ? mapped : own;
}

}  // namespace netmod
