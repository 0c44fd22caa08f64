// The 3-D torus: shapes, which node sits on which Gemini at which coordinates, links and routes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ugni_emu/gemini/topology/cabinet_place.h"
#include "ugni_emu/gemini/topology/directions.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/gemini/topology/torus_shape.h"

namespace gemini {

/// A torus of Geminis with two nodes each. A Gemini's number is (x * Y + y) * Z + z, that of a link
/// is its Direction.
/// TorusShape says which nid sits where. A node's NIC is nid % 2.
///
/// Routes are in dimension order, X, then Y, then Z, the shortest way round each ring, a tie goes
/// plus (PPT's rule). So a response, routed from its own source, takes another way than its request
/// wherever they turn.
class Torus final : public Topology {
 public:
  /// As TorusShape::parse().
  static Torus parse(std::string_view text);

  std::string shape() const;                                  ///< XxYxZ
  int size(int dimension) const { return size_[dimension]; }  ///< 0 = X, 1 = Y, 2 = Z
  Coordinates coordinates(RouterId router) const { return coordinates_[router]; }
  RouterId router_at(Coordinates at) const {
    return (static_cast<RouterId>(at.x) * size_[1] + at.y) * size_[2] + at.z;
  }
  Port port(Coordinates at, Direction direction) const {
    return {router_at(at), static_cast<std::uint8_t>(direction)};
  }

  CabinetPlace cabinet_place(RouterId router) const {
    return gemini::cabinet_place(coordinates(router), size_);
  }

  std::vector<unsigned> position(RouterId router) const override {
    const Coordinates at = coordinates(router);
    return {at.x, at.y, at.z};
  }
  std::vector<std::string_view> position_names() const override { return {"x", "y", "z"}; }
  std::string_view router_word() const override { return "Gemini"; }
  Port far_end(Port port) const override;
  /// X: always cable. Y: y = 2k to 2k+1 is a blade's mezzanine, every other one a cable. Z: within
  /// a cage of eight backplane, from z = 8k+7 cable. The link that closes a ring is a cable (S0,
  /// table II and figure 4).
  LinkClassId link_class(Port port) const override;
  std::string_view link_name(unsigned link) const override;
  /// 8, 4 and 8 to a link in X, Y and Z, and 8 of the host port (S0, figure 3); torus_tiles.cc has
  /// the rule.
  std::span<const Tile> tiles_of(Port port) const override;
  std::span<const Tile> host_tiles() const override;
  RouteWord route(RouterId from, RouterId to) const override;
  /// The other way round each ring on whose shortest way a link is not usable.
  std::optional<RouteWord> route_around(RouterId from, RouterId to,
                                        const IsUsable& usable) const override;
  unsigned diameter() const override;
  /// On each ring class 0 up to the link that closes it, class 1 from there on.
  unsigned buffer_classes() const override { return 2; }
  unsigned buffer_class(Port out, std::optional<Port> in, unsigned held) const override;

  std::string title() const override;
  std::string routing() const override { return "dimension-order routing"; }
  std::string describe() const override;
  /// hopper: a hop of 108.75 ns (S2).
  std::vector<corespec::Setting> preset_settings() const override;

 private:
  explicit Torus(const TorusShape& shape);

  struct Leg {
    unsigned hops = 0;
    bool minus = false;
  };
  /// The shortest way round one ring; a tie goes plus.
  static Leg ring_leg(int from, int to, int size);
  static RouteWord word_of(const std::array<Leg, 3>& legs);
  bool all_usable(Coordinates at, int dimension, Leg leg, const IsUsable& usable) const;
  bool closes_ring(Coordinates at, Direction direction) const;

  std::array<std::uint16_t, 3> size_;
  std::vector<Coordinates> coordinates_;  ///< by Gemini
};

}  // namespace gemini
