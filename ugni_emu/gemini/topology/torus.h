// Shapes of the 3-D torus, and which node sits on which Gemini at which coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"

namespace gemini {

/// Number of a node, as in its host name nid00042; also its NIC's address.
using Nid = std::uint32_t;

/// Number of a Gemini: (x * Y + y) * Z + z, whatever the system's nid rule.
using GeminiId = std::uint32_t;

/// Where a Gemini sits in the torus.
struct Coordinates {
  std::uint16_t x = 0, y = 0, z = 0;
  bool operator==(const Coordinates&) const = default;
};

/// Where a node sits: its Gemini, and which of that Gemini's two NICs is its own.
struct Place {
  Coordinates at;
  std::uint16_t port = 0;  ///< 0 or 1
  bool operator==(const Place&) const = default;
};

/// A torus of Geminis with two nodes each. Immutable; lookups are table reads.
///
/// Which nid sits where:
/// * `hopper`: NERSC's published map of all 6,528 slots. 48 nids climb Z on one Y, the next 48 come
///   back down; Y serpentines per X; X runs 0, 16, 15, ..., 1 (gemini-facts, section 8).
/// * every other shape: Gemini nid / 2, counting Z fastest, then Y, then X.
/// In both, nids 2k and 2k+1 share a Gemini, and its port is nid % 2.
class Torus {
 public:
  /// `hopper` (17x8x24), `cielo` (16x12x24) or a shape `XxYxZ` of Geminis, such as `4x4x8`. Each
  /// dimension 1 to 128, at most 65,536 Geminis in all.
  /// Throws std::invalid_argument with one line that names the text and what is allowed.
  static Torus parse(std::string_view text);

  const std::string& name() const { return name_; }           ///< the preset's name, or XxYxZ
  std::string shape() const;                                  ///< XxYxZ
  int size(int dimension) const { return size_[dimension]; }  ///< 0 = X, 1 = Y, 2 = Z

  std::uint32_t gemini_count() const {
    return static_cast<std::uint32_t>(size_[0]) * size_[1] * size_[2];
  }
  std::uint32_t node_count() const { return 2 * gemini_count(); }
  bool contains(Nid nid) const { return nid < 2 * at_.size(); }

  /// Place of a node. `nid` must be one of the torus (contains()).
  Place place(Nid nid) const { return {at_[nid / 2], static_cast<std::uint16_t>(nid % 2)}; }
  GeminiId gemini_of(Nid nid) const { return gemini_at(at_[nid / 2]); }
  /// The node at port 0 or 1 of a Gemini: the inverse of place().
  Nid nid_at(GeminiId gemini, int port) const {
    return first_nid_[gemini] + static_cast<Nid>(port);
  }

  GeminiId gemini_at(Coordinates at) const {
    return (static_cast<GeminiId>(at.x) * size_[1] + at.y) * size_[2] + at.z;
  }
  Coordinates coordinates(GeminiId gemini) const;

  /// Router-to-router hops on the shortest way between two Geminis or two nodes (0 on one Gemini).
  int hops(Coordinates from, Coordinates to) const;
  int hops(Nid from, Nid to) const { return hops(place(from).at, place(to).at); }
  int diameter() const { return size_[0] / 2 + size_[1] / 2 + size_[2] / 2; }

  /// Parameters that belong to the preset (hopper: a hop of 108.75 ns, S2). To be put before the
  /// user's own settings in read_parameters(), so that the user's win.
  std::vector<corespec::Setting> preset_settings() const;

 private:
  Torus(std::string name, std::array<std::uint16_t, 3> size);

  std::string name_;
  std::array<std::uint16_t, 3> size_;
  std::vector<Coordinates> at_;  ///< by pair of nids
  std::vector<Nid> first_nid_;   ///< by Gemini: the nid at port 0
};

}  // namespace gemini
