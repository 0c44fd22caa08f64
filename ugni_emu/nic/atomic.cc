// Atomic memory operations: what a command's bits say, and what it makes of a word.
#include "ugni_emu/nic/atomic.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace nic {
namespace {

constexpr unsigned no_fetch_bit = 0x100;
constexpr unsigned first_cached_bit = 0x010;
// The second generation: bit 6 is set, and of the numbers within it bit 0 in those of 64 bits.
constexpr unsigned second_generation_bit = 0x040;
constexpr unsigned second_cached_bit = 0x020;
constexpr unsigned half_word_bit = 0x200;
constexpr unsigned full_word_bit = 0x001;

bool is_second_generation(gni_fma_cmd_type_t command) {
  return (static_cast<unsigned>(command) & second_generation_bit) != 0;
}

/// The plain, fetching form of a command, of the second generation that of 64 bits.
gni_fma_cmd_type_t base_of(gni_fma_cmd_type_t command) {
  const auto bits = static_cast<unsigned>(command);
  const unsigned base =
      is_second_generation(command)
          ? (bits & ~(no_fetch_bit | second_cached_bit | half_word_bit)) | full_word_bit
          : bits & ~(no_fetch_bit | first_cached_bit);
  return static_cast<gni_fma_cmd_type_t>(base);
}

/// The bits say 64 by one bit and 32 by the other one.
bool has_one_width(gni_fma_cmd_type_t command) {
  const auto bits = static_cast<unsigned>(command);
  return ((bits & half_word_bit) != 0) != ((bits & full_word_bit) != 0);
}

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// `Word` is unsigned, `Real` as wide.
template <typename Word, typename Real>
Word apply(gni_fma_cmd_type_t base, Word old, Word first, Word second) {
  using Integer = std::make_signed_t<Word>;
  const auto real = [](Word word) { return bits_as<Real>(word); };
  switch (base) {
    case GNI_FMA_ATOMIC_FADD:
    case GNI_FMA_ATOMIC2_FIADD:
      return old + first;
    case GNI_FMA_ATOMIC_FAND:
    case GNI_FMA_ATOMIC2_FAND:
      return old & first;
    case GNI_FMA_ATOMIC_FOR:
    case GNI_FMA_ATOMIC2_FOR:
      return old | first;
    case GNI_FMA_ATOMIC_FXOR:
    case GNI_FMA_ATOMIC2_FXOR:
      return old ^ first;
    case GNI_FMA_ATOMIC_FAX:
    case GNI_FMA_ATOMIC2_FAX:
      return (old & first) ^ second;
    case GNI_FMA_ATOMIC_CSWAP:
    case GNI_FMA_ATOMIC2_FCSWAP:
      return old == first ? second : old;
    case GNI_FMA_ATOMIC2_FSWAP:
      return first;
    case GNI_FMA_ATOMIC2_FIMIN:
      return static_cast<Word>(std::min(static_cast<Integer>(old), static_cast<Integer>(first)));
    case GNI_FMA_ATOMIC2_FIMAX:
      return static_cast<Word>(std::max(static_cast<Integer>(old), static_cast<Integer>(first)));
    case GNI_FMA_ATOMIC2_FFPMIN:
      return real(first) < real(old) ? first : old;
    case GNI_FMA_ATOMIC2_FFPMAX:
      return real(first) > real(old) ? first : old;
    case GNI_FMA_ATOMIC2_FFPADD:
      return bits_as<Word>(static_cast<Real>(real(old) + real(first)));
    default:
      return old;
  }
}

bool is_second_generation_base(gni_fma_cmd_type_t base) {
  switch (base) {
    case GNI_FMA_ATOMIC2_FAND:
    case GNI_FMA_ATOMIC2_FOR:
    case GNI_FMA_ATOMIC2_FXOR:
    case GNI_FMA_ATOMIC2_FAX:
    case GNI_FMA_ATOMIC2_FCSWAP:
    case GNI_FMA_ATOMIC2_FSWAP:
    case GNI_FMA_ATOMIC2_FIMIN:
    case GNI_FMA_ATOMIC2_FIMAX:
    case GNI_FMA_ATOMIC2_FIADD:
    case GNI_FMA_ATOMIC2_FFPMIN:
    case GNI_FMA_ATOMIC2_FFPMAX:
    case GNI_FMA_ATOMIC2_FFPADD:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_gemini_atomic(gni_fma_cmd_type_t command) {
  if (is_second_generation(command)) return false;
  const bool swap_without_fetch = base_of(command) == GNI_FMA_ATOMIC_CSWAP && !fetches(command);
  return base_of(command) >= GNI_FMA_ATOMIC_FADD && base_of(command) <= GNI_FMA_ATOMIC_CSWAP &&
         !swap_without_fetch;
}

bool is_aries_atomic(gni_fma_cmd_type_t command) {
  if (!is_second_generation(command)) return is_gemini_atomic(command);
  return has_one_width(command) && is_second_generation_base(base_of(command));
}

bool has_two_operands(gni_fma_cmd_type_t command) {
  const gni_fma_cmd_type_t base = base_of(command);
  return base == GNI_FMA_ATOMIC_FAX || base == GNI_FMA_ATOMIC_CSWAP ||
         base == GNI_FMA_ATOMIC2_FAX || base == GNI_FMA_ATOMIC2_FCSWAP;
}

bool fetches(gni_fma_cmd_type_t command) {
  return (static_cast<unsigned>(command) & no_fetch_bit) == 0;
}

std::size_t word_bytes(gni_fma_cmd_type_t command) {
  const bool half =
      is_second_generation(command) && (static_cast<unsigned>(command) & half_word_bit) != 0;
  return half ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

std::uint64_t apply_atomic(gni_fma_cmd_type_t command, std::uint64_t old,
                           const std::array<std::uint64_t, 2>& operands) {
  const gni_fma_cmd_type_t base = base_of(command);
  if (word_bytes(command) == sizeof(std::uint32_t)) {
    const auto half = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    return apply<std::uint32_t, float>(base, half(old), half(operands[0]), half(operands[1]));
  }
  return apply<std::uint64_t, double>(base, old, operands[0], operands[1]);
}

}  // namespace nic
