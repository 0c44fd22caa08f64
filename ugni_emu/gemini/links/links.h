// What the links are made of: types, tiles and bandwidths by dimension and position.
#pragma once

#include <cstdint>
#include <string_view>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/topology/routing.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {

enum class LinkType : std::uint8_t {
  mezzanine,  ///< between the two Geminis of a blade
  backplane,  ///< within a cage of eight slots
  cable,      ///< between cages, rows and cabinets
  host,       ///< between a Gemini and its two nodes
};

/// "mezzanine", "backplane", "cable", "host": the words of `rtr --interconnect`.
std::string_view name_of(LinkType type);

/// Type of the link that leaves the Gemini at `at` (S0, table II and figure 4). X: always cable. Y:
/// y = 2k to 2k+1 is a blade's mezzanine, every other one a cable. Z: within a cage of eight
/// backplane, from z = 8k+7 cable. The link that closes a ring is a cable. Both directions of a
/// link are of one type.
LinkType link_type(const Torus& torus, Coordinates at, Direction direction);

/// Raw bandwidth of a directed link: its tiles times their type's rate, in bytes per second. A
/// ring of size 1 has no link: 0.
double link_bandwidth(const corespec::Parameters& parameters, const Torus& torus, Coordinates at,
                      Direction direction);

/// Raw bandwidth of a directed link of that type in that dimension (0 = X, 1 = Y, 2 = Z).
double link_bandwidth(const corespec::Parameters& parameters, int dimension, LinkType type);

/// Raw bandwidth of a Gemini's host port per direction, shared by its two NICs.
double host_bandwidth(const corespec::Parameters& parameters);

}  // namespace gemini
