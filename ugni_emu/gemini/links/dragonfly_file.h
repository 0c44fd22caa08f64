// The lines of `rtr --interconnect` on a dragonfly.
#pragma once

#include <string>

#include "ugni_emu/gemini/topology/dragonfly.h"

namespace gemini {

/// A line, with its end, for each of a router's tiles in their order, as a Cray XC has them (RTR of
/// docs/sources.md):
///
///   c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l00(0:0:1)
///   c0-0c0s0a0l42(0:0:0) blue -> unused
///   c0-0c0s0a0l50(0:0:0) ptile -> processor
///
/// In parentheses: group, chassis, slot. l00: row and column of the tile.
std::string interconnect_lines(const Dragonfly& dragonfly, RouterId router);

}  // namespace gemini
