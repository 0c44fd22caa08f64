// Which of a link's tiles a packet takes.
#pragma once

#include <cstdint>
#include <string_view>

namespace gemini {

enum class TileChoice : std::uint8_t {
  deterministic,  ///< by the flow alone: packets of a flow keep their order
  hashed,         ///< by the flow and the packet's number: they take turns
  adaptive        ///< the tile with the most room
};

/// What CASTOR_TILE_CHOICE says and the transaction's delivery mode allows, for its requests or its
/// responses.
TileChoice tile_choice(std::string_view setting, std::uint16_t delivery_mode, unsigned channel);

}  // namespace gemini
