// The bits of a collective engine's id, which names it among those of its NIC.
#pragma once

#include <cstdint>

#include "ugni_emu/wire/memory_handle.h"

namespace ugni::collective_id {

/// 7:0 number among the engines that the NIC has in the process, 19:8 owner: as in a memory handle,
/// one more than the process's place among the ranks of the node, so that a wire finds the process.
constexpr unsigned owner_shift = 8;
constexpr unsigned bits = owner_shift + memory_handle::owner_bits;
constexpr std::uint32_t most_numbers = 1U << owner_shift;

constexpr std::uint32_t make(std::uint32_t place, std::uint32_t number) {
  return (place + 1) << owner_shift | number;
}
constexpr std::uint32_t number_of(std::uint32_t id) { return id & (most_numbers - 1); }
/// 0: no process has such an engine.
constexpr std::uint32_t owner_of(std::uint32_t id) {
  const std::uint32_t owner = id >> owner_shift;
  return owner <= memory_handle::most_owners ? owner : 0;
}

}  // namespace ugni::collective_id
