// Where a node stands in the machine room, on a Cray XE or XC.
#pragma once

#include <cstdint>
#include <string>

namespace gemini {

/// Cabinets stand in columns and rows; a cabinet has cages (on an XC: chassis), a cage slots with a
/// blade each, and a blade up to four nodes.
struct NodePlace {
  std::uint16_t column = 0, row = 0, cage = 0, slot = 0;
  std::uint16_t node = 0;    ///< on the blade
  std::uint16_t router = 0;  ///< which of the blade's is the node's
  bool operator==(const NodePlace&) const = default;
};

/// "c0-0c1s5n2": column, row, cage, slot, node.
std::string node_name(const NodePlace& place);

/// "c0-0c1s5a0": the router of an XC's blade.
std::string aries_name(const NodePlace& place);

}  // namespace gemini
