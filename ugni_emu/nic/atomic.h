// Gemini's atomic memory operations, on 64-bit words.
#pragma once

#include <array>
#include <cstdint>

#include "ugni_emu/include/gni_pub.h"

namespace nic {

/// True for the first generation of commands, which is what Gemini has.
bool is_gemini_atomic(gni_fma_cmd_type_t command);
/// True if it takes first_operand and second_operand.
bool has_two_operands(gni_fma_cmd_type_t command);
/// True if the old value goes back to the initiator.
bool fetches(gni_fma_cmd_type_t command);
/// The new value of a word. `command` is a Gemini one.
std::uint64_t apply_atomic(gni_fma_cmd_type_t command, std::uint64_t old,
                           const std::array<std::uint64_t, 2>& operands);

}  // namespace nic
