// A system of either kind, and which nid sits where: what needs no tables.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

#include "ugni_emu/gemini/topology/dragonfly_shape.h"
#include "ugni_emu/gemini/topology/node_place.h"
#include "ugni_emu/gemini/topology/torus_shape.h"

namespace gemini {

/// What `--system` and CASTOR_SYSTEM name, without a Topology's tables.
class SystemShape {
 public:
  /// Throws std::invalid_argument with one line that names the text and what is allowed.
  static SystemShape parse(std::string_view system);

  bool is_torus() const { return std::holds_alternative<TorusShape>(shape_); }
  std::uint32_t nodes() const;
  NodePlace place_of(std::uint32_t nid) const;
  /// Of the node's router: X, Y and Z of a torus; group, chassis and slot of a dragonfly.
  std::array<std::uint16_t, 3> coordinates_of(std::uint32_t nid) const;
  /// In each coordinate the greatest.
  std::array<std::uint16_t, 3> greatest_coordinates() const;
  bool share_router(std::uint32_t a, std::uint32_t b) const {
    return coordinates_of(a) == coordinates_of(b);
  }

 private:
  using Shape = std::variant<TorusShape, DragonflyShape>;
  explicit SystemShape(Shape shape) : shape_(std::move(shape)) {}
  Shape shape_;
};

}  // namespace gemini
