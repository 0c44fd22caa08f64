// The registers that GPCD's clients can name.
#pragma once

#include <cstddef>
#include <string_view>

#include "ugni_emu/gemini/topology/tile.h"
#include "ugni_emu/include/gpcd_lib.h"

namespace gpcd {

/// Fixed counters of a tile.
inline constexpr unsigned kCounters = 6;
inline constexpr std::size_t kRegisters = std::size_t{gemini::kTiles} * kCounters;

/// Which register it is: counter `counter` of a tile.
struct RegisterId {
  gemini::Tile tile = 0;
  unsigned counter = 0;
};

/// All of them: tile after tile, counter after counter.
gpcd_mmr_desc_t* register_at(std::size_t number);

/// By either spelling of its name; null if there is none.
gpcd_mmr_desc_t* find_register(std::string_view name);

/// Whether it is one of ours, whatever a client may have made of it.
bool is_register(const gpcd_mmr_desc_t* item);

/// Of one of ours (is_register()).
RegisterId id_of(const gpcd_mmr_desc_t* item);

}  // namespace gpcd
