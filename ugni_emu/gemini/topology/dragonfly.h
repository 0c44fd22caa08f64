// The dragonfly: groups of routers, all to all within chassis, along chassis and between groups.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ugni_emu/gemini/topology/dragonfly_shape.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// A dragonfly as Cray's XC systems have it, with Gemini NICs. A router has links of three colours:
/// * green: to the other slots of its chassis. Link `s` leads to slot s; "green5".
/// * black: to the same slot of its group's other chassis. Link 16 + c leads to chassis c;
/// "black2".
/// * blue: to other groups. Links 22 to 26; "blue0".
/// Every router has all 27 numbers; behind some there is no link: its own slot and chassis, what
/// the shape does not have, and blue links that are not in use.
///
/// The blue links of a group have numbers, e = k (G - 1) + j: link k to the j-th of the other G - 1
/// groups, k below links_per_pair(). Link e is at router e % R of the group's R, as its blue link
/// e / R. So link k of a group to another is link k of that one to this: an estimate, with the
/// published counts.
///
/// Routes are minimal: at most one blue link, and before and after it at most a green and a black
/// one, green first. Of the links between the two groups a route takes number (s + t + t / n) % n,
/// where s and t are the numbers of the routers at its ends within their groups and n is
/// links_per_pair(): so the pairs of every shift of one group on the other are spread
/// over them.
class Dragonfly final : public Topology {
 public:
  enum class Colour : std::uint8_t { green, black, blue };

  /// As DragonflyShape::parse().
  static Dragonfly parse(std::string_view text);

  const DragonflyShape& shape() const { return shape_; }
  GroupPlace group_place(RouterId router) const { return places_[router]; }
  RouterId router_at(GroupPlace at) const {
    return (static_cast<RouterId>(at.group) * shape_.chassis() + at.chassis) * shape_.slots() +
           at.slot;
  }
  static Colour colour_of(unsigned link);

  std::vector<unsigned> position(RouterId router) const override;
  std::vector<std::string_view> position_names() const override {
    return {"group", "chassis", "slot"};
  }
  Port far_end(Port port) const override;
  LinkClassId link_class(Port port) const override;
  std::string_view link_name(unsigned link) const override;
  /// 1, 3 and 2 to a green, black and blue link, and 8 of the host port. Which ones they are is an
  /// estimate, but that the last row are the host's.
  std::span<const Tile> tiles_of(Port port) const override;
  std::span<const Tile> host_tiles() const override;
  RouteWord route(RouterId from, RouterId to) const override;
  unsigned diameter() const override;
  /// 0 up to the blue link, 1 behind it.
  unsigned buffer_classes() const override { return 2; }
  unsigned buffer_class(Port out, std::optional<Port> in, unsigned held) const override;

  std::string title() const override;
  std::string routing() const override { return "minimal routing"; }
  std::string describe() const override;
  /// A hop of 100 ns (PPT, SST); host tiles of 8 GB/s, so that each of four NICs has 16 (PPT).
  std::vector<corespec::Setting> preset_settings() const override;

 private:
  /// A blue link's end.
  struct BlueEnd {
    GroupPlace router;
    unsigned number = 0;  ///< which of the router's blue links
  };

  explicit Dragonfly(DragonflyShape shape);

  BlueEnd blue_end(unsigned group, unsigned other, unsigned link) const;
  Port far_blue_end(Port port) const;
  unsigned number_in_group(GroupPlace at) const { return at.chassis * shape_.slots() + at.slot; }

  DragonflyShape shape_;
  unsigned links_per_pair_;
  std::vector<GroupPlace> places_;  ///< by router
};

}  // namespace gemini
