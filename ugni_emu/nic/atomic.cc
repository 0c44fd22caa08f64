// Gemini's atomic memory operations, on 64-bit words.
#include "ugni_emu/nic/atomic.h"

namespace nic {
namespace {

constexpr unsigned cached_bit = 0x010;
constexpr unsigned no_fetch_bit = 0x100;

// The plain, fetching form of a command.
gni_fma_cmd_type_t base_of(gni_fma_cmd_type_t command) {
  return static_cast<gni_fma_cmd_type_t>(static_cast<unsigned>(command) &
                                         ~(cached_bit | no_fetch_bit));
}

}  // namespace

bool is_gemini_atomic(gni_fma_cmd_type_t command) {
  const bool swap_without_fetch = base_of(command) == GNI_FMA_ATOMIC_CSWAP && !fetches(command);
  return base_of(command) >= GNI_FMA_ATOMIC_FADD && base_of(command) <= GNI_FMA_ATOMIC_CSWAP &&
         !swap_without_fetch;
}

bool has_two_operands(gni_fma_cmd_type_t command) {
  return base_of(command) == GNI_FMA_ATOMIC_FAX || base_of(command) == GNI_FMA_ATOMIC_CSWAP;
}

bool fetches(gni_fma_cmd_type_t command) {
  return (static_cast<unsigned>(command) & no_fetch_bit) == 0;
}

std::uint64_t apply_atomic(gni_fma_cmd_type_t command, std::uint64_t old,
                           const std::array<std::uint64_t, 2>& operands) {
  switch (base_of(command)) {
    case GNI_FMA_ATOMIC_FADD:
      return old + operands[0];
    case GNI_FMA_ATOMIC_FAND:
      return old & operands[0];
    case GNI_FMA_ATOMIC_FOR:
      return old | operands[0];
    case GNI_FMA_ATOMIC_FXOR:
      return old ^ operands[0];
    case GNI_FMA_ATOMIC_FAX:
      return (old & operands[0]) ^ operands[1];
    case GNI_FMA_ATOMIC_CSWAP:
      return old == operands[0] ? operands[1] : old;
    default:
      return old;
  }
}

}  // namespace nic
