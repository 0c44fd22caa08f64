// A torus's name and sizes, and which nid sits where: what needs no tables.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gemini {

/// Where a Gemini sits in the torus.
struct Coordinates {
  std::uint16_t x = 0, y = 0, z = 0;
  bool operator==(const Coordinates&) const = default;
};

/// A torus of Geminis with two nodes each: nids 2k and 2k+1 share a Gemini.
///
/// Which Gemini sits where:
/// * `hopper`: NERSC's published map of all 6,528 slots. 48 nids climb Z on one Y, the next 48 come
///   back down; Y serpentines per X; X runs 0, 16, 15, ..., 1 (gemini-facts, section 8).
/// * every other shape: Gemini nid / 2, counting Z fastest, then Y, then X.
class TorusShape {
 public:
  /// `hopper` (17x8x24), `cielo` (16x12x24) or a shape `XxYxZ` of Geminis, such as `4x4x8`. Each
  /// dimension 1 to 128, at most 65,536 Geminis in all.
  /// Throws std::invalid_argument with one line that names the text and what is allowed.
  static TorusShape parse(std::string_view text);

  const std::string& name() const { return name_; }  ///< as users say it
  const std::array<std::uint16_t, 3>& sizes() const { return sizes_; }
  std::uint32_t geminis() const { return std::uint32_t{sizes_[0]} * sizes_[1] * sizes_[2]; }
  std::uint32_t nodes() const { return 2 * geminis(); }
  /// Of a node's Gemini; `nid` below nodes().
  Coordinates coordinates_of(std::uint32_t nid) const;

 private:
  TorusShape(std::string name, std::array<std::uint16_t, 3> sizes);

  std::string name_;
  std::array<std::uint16_t, 3> sizes_;
  bool is_hopper_;
};

}  // namespace gemini
