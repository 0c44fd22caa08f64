// Which of a Gemini's tiles belong to which of its links.
//
// Published: figure 3 of S0 (the tiles of the Gemini at (0,0,0) of Cielo by direction), figure 2
// (the far ends of eight of them), and LDMS's finding that the pattern of a Gemini depends only on
// the parities of its column, row and cage and on which of its blade's two it is.
//
// The rule, which is ours and gives all of these: the tiles of a dimension are two groups, A and B
// (figure 3: A has X+, Y+ and Z+). On an even column (X), on a blade's first Gemini (Y), in an even
// cage (Z) group A leads plus and B leads minus; elsewhere it is the other way round. So where a
// link joins two Geminis of different parity, both ends are the same group: tile k of it meets tile
// k, which is the same tile (figure 2: X+ 02 meets 02). Where both have one parity, the ends are A
// and B: tile k of A meets tile k of B (figure 2: Z+ 00 meets 32). Odd and short rings need no rule
// of their own. A blade's mezzanine is always group A of Y; only in a torus with odd Y, whose last
// blade has one Gemini, a cable takes that group's place.
//
// Figure 2 gives six of the pairs of X and Z (here with "published"). Each of them is the mirror
// image (column c and column 7 - c) of another pair; so are all of ours.
#include <array>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

/// A tile as `rtr` spells it: two octal digits are its row and its column, and its number, too.
constexpr unsigned kMostTiles = 8;
using Group = std::array<Tile, kMostTiles>;

struct Groups {
  unsigned tiles;  ///< of each
  Group a, b;      ///< a[k] and b[k] meet
};

constexpr std::array<Groups, 3> kGroups = {{
    // Published: 41 and 04, 31 and 05.
    {8, {002, 003, 012, 013, 030, 031, 040, 041}, {036, 046, 037, 047, 015, 005, 014, 004}},
    {4, {045, 055, 056, 057}, {042, 052, 051, 050}},
    // Published: 00 and 32, 01 and 21, 26 and 06, 35 and 07.
    {8, {000, 001, 010, 011, 025, 026, 027, 035}, {032, 021, 022, 020, 017, 006, 016, 007}},
}};

constexpr std::array<Tile, 8> kHostTiles = {023, 024, 033, 034, 043, 044, 053, 054};

}  // namespace

std::span<const Tile> Torus::tiles_of(Port port) const {
  const auto direction = static_cast<Direction>(port.link);
  const int dimension = dimension_of(direction);
  const CabinetPlace place = cabinet_place(port.router);
  const std::array<unsigned, 3> parity = {place.column % 2U, place.gemini, place.cage % 2U};
  const auto at = static_cast<std::size_t>(dimension);
  const bool is_a = (parity[at] != 0) == is_minus(direction);
  const Groups& groups = kGroups[at];
  return std::span<const Tile>(is_a ? groups.a : groups.b).first(groups.tiles);
}

std::span<const Tile> Torus::host_tiles() const { return kHostTiles; }

}  // namespace gemini
