// The lines of `rtr --interconnect`: which tile is joined to which, by what.
#pragma once

#include <string>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {

/// A line, with its end, for each of a Gemini's tiles that has another tile at its other end, in
/// the order of tiles (S0, figure 2, without the blanks before its brackets, as LDMS reads it):
///
///   c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane
///
/// Types are mezzanine, backplane and cable<class><dimension>. Of the classes S0 shows 11x (the
/// cabinet beside), 18x (the one behind it) and 15z (between cages). Cables in Y are 11y to the row
/// beside and 18y beyond it: an estimate.
std::string interconnect_lines(const Torus& torus, RouterId router);

}  // namespace gemini
