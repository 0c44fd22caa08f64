// The registers that GPCD's clients can name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "ugni_emu/include/gpcd_lib.h"
#include "ugni_emu/wire/registers.h"

namespace gpcd {

/// Of the tiles: tile after tile, counter after counter.
std::span<const gpcd_mmr_desc_t> tile_registers();
std::span<const gpcd_mmr_desc_t> nic_registers();

/// By either spelling of its name; null if there is none.
gpcd_mmr_desc_t* find_register(std::string_view name);

/// Whether it is one of ours, whatever a client may have made of it.
bool is_register(const gpcd_mmr_desc_t* item);

/// Of one of ours (is_register()).
ugni::Register register_of(const gpcd_mmr_desc_t* item);

}  // namespace gpcd
