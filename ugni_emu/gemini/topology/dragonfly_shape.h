// A dragonfly's name and sizes, and which nid sits where: what needs no tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ugni_emu/gemini/topology/node_place.h"

namespace gemini {

/// Where a router sits in a dragonfly: its group, its chassis in the group, its slot in the
/// chassis.
struct GroupPlace {
  std::uint16_t group = 0, chassis = 0, slot = 0;
  bool operator==(const GroupPlace&) const = default;
};

/// Groups of chassis; a chassis has slots with a blade each, a blade one router with up to four
/// nodes.
///
/// A router's number counts slots fastest, then chassis, then groups, a nid the nodes of a router
/// faster still. Of `edison`'s 5,760 places the last 174 have no node: which ones have none is not
/// published (an estimate).
class DragonflyShape {
 public:
  static constexpr unsigned most_chassis = 6, most_slots = 16, most_nics = 4;
  static constexpr unsigned most_blue_links = 5;  ///< of a router

  /// Whether `text` is to be read as a dragonfly's name.
  static bool is_meant(std::string_view text);
  /// `edison` (15 groups of 6 chassis, 16 blades and 4 nodes, 5,586 nodes) or
  /// `dragonfly:GROUPSxCHASSISxBLADESxNODES`.
  /// Throws std::invalid_argument with one line that names the text and what is allowed.
  static DragonflyShape parse(std::string_view text);

  const std::string& name() const { return name_; }  ///< as users say it
  unsigned groups() const { return groups_; }
  unsigned chassis() const { return chassis_; }  ///< of a group
  unsigned slots() const { return slots_; }      ///< of a chassis
  unsigned nics() const { return nics_; }        ///< of a router
  std::uint32_t routers_per_group() const { return chassis_ * slots_; }
  std::uint32_t routers() const { return groups_ * routers_per_group(); }
  std::uint32_t nodes() const { return nodes_; }

  /// Links between each two groups: so many from every chassis that no router has more than two
  /// blue links. Where that is none: as many in all as leave no router with more than two, or one.
  unsigned links_per_pair() const;

  GroupPlace place_of_router(std::uint32_t router) const;
  GroupPlace place_of(std::uint32_t nid) const { return place_of_router(nid / nics_); }
  /// In the machine room: a cabinet has three chassis, and groups have cabinets of their own. Rows
  /// have eight cabinets. Edison's fourth row has none where its first group would be.
  NodePlace node_place(std::uint32_t nid) const;
  /// Of one of its nodes, or of a place that has none.
  NodePlace place_in_room(GroupPlace at, unsigned nic) const;

 private:
  DragonflyShape() = default;

  std::string name_;
  unsigned groups_ = 1, chassis_ = 1, slots_ = 1, nics_ = 1;
  std::uint32_t nodes_ = 1;
  bool is_edison_ = false;
};

}  // namespace gemini
