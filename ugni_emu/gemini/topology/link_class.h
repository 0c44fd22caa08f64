// What a link is made of, as far as its place in the topology decides it.
#pragma once

#include <cstdint>
#include <string_view>

#include "corespec/config/parameters.h"

namespace gemini {

enum class LinkType : std::uint8_t {
  mezzanine,   ///< between the two Geminis of a blade
  backplane,   ///< within a cage of eight slots
  cable,       ///< between cages, rows and cabinets
  electrical,  ///< within a dragonfly's group
  optical,     ///< between a dragonfly's groups
  host,        ///< between a router and its nodes
};

/// "mezzanine", "backplane", "cable" (the words of `rtr --interconnect`), "electrical", "optical",
/// "host".
std::string_view name_of(LinkType type);

/// Links that are alike: so many tiles of one type.
struct LinkClass {
  std::string_view group;  ///< the links that a header names together: "X"
  LinkType type = LinkType::cable;
  std::int64_t corespec::Parameters::*tiles = nullptr;
};

/// Number of a class in Topology::link_classes().
using LinkClassId = std::uint8_t;

}  // namespace gemini
