// Atomic memory operations: Gemini's on words of 64 bits, Aries' on words of 64 and 32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ugni_emu/include/gni_pub.h"

namespace nic {

/// True for the first generation of commands, which is what Gemini has.
bool is_gemini_atomic(gni_fma_cmd_type_t command);
/// True for what an Aries has: the first and the second generation.
bool is_aries_atomic(gni_fma_cmd_type_t command);
/// True if the old value goes back to the initiator.
bool fetches(gni_fma_cmd_type_t command);
/// True if it takes first_operand and second_operand.
bool has_two_operands(gni_fma_cmd_type_t command);
/// Bytes of the word: 8 or 4.
std::size_t word_bytes(gni_fma_cmd_type_t command);
/// The new value of a word; of one of 32 bits, in the lower half. `command` is a valid one.
std::uint64_t apply_atomic(gni_fma_cmd_type_t command, std::uint64_t old,
                           const std::array<std::uint64_t, 2>& operands);

}  // namespace nic
