// The commands of Aries' collective engines, on values of 64 bits and of 32.
#include "ugni_emu/nic/collective.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace nic {
namespace {

// Bit 0 of a command: values of 64 bits.
constexpr unsigned whole_word = 0x01;

/// The command with values of 64 bits.
gni_ce_cmd_type_t whole(unsigned command) {
  return static_cast<gni_ce_cmd_type_t>(command | whole_word);
}

bool has_index(gni_ce_cmd_type_t command) {
  switch (command) {
    case GNI_FMA_CE_AND:
    case GNI_FMA_CE_OR:
    case GNI_FMA_CE_XOR:
    case GNI_FMA_CE_IADD:
    case GNI_FMA_CE_FPADD:
      return false;
    default:
      return true;
  }
}

bool is_real(gni_ce_cmd_type_t command) {
  switch (command) {
    case GNI_FMA_CE_FPMIN_LIDX:
    case GNI_FMA_CE_FPMAX_LIDX:
    case GNI_FMA_CE_FPMIN_GIDX:
    case GNI_FMA_CE_FPMAX_GIDX:
      return true;
    default:
      return false;
  }
}

bool is_maximum(gni_ce_cmd_type_t command) {
  switch (command) {
    case GNI_FMA_CE_IMAX_LIDX:
    case GNI_FMA_CE_IMAX_GIDX:
    case GNI_FMA_CE_FPMAX_LIDX:
    case GNI_FMA_CE_FPMAX_GIDX:
      return true;
    default:
      return false;
  }
}

bool takes_greatest_index(gni_ce_cmd_type_t command) {
  switch (command) {
    case GNI_FMA_CE_IMIN_GIDX:
    case GNI_FMA_CE_IMAX_GIDX:
    case GNI_FMA_CE_FPMIN_GIDX:
    case GNI_FMA_CE_FPMAX_GIDX:
      return true;
    default:
      return false;
  }
}

template <typename To>
To value_as(std::uint64_t word) {
  To to;
  std::memcpy(&to, &word, sizeof to);
  return to;
}

template <typename From>
std::uint64_t word_of(From from) {
  std::uint64_t word = 0;
  std::memcpy(&word, &from, sizeof from);
  return word;
}

int host_rounding(std::uint32_t rounding) {
  switch (rounding) {
    case GNI_CE_MODE_ROUND_UP:
      return FE_UPWARD;
    case GNI_CE_MODE_ROUND_DOWN:
      return FE_DOWNWARD;
    case GNI_CE_MODE_ROUND_ZERO:
      return FE_TOWARDZERO;
    default:
      return FE_TONEAREST;
  }
}

std::uint8_t exceptions_of(int raised) {
  unsigned exceptions = 0;
  if ((raised & FE_INVALID) != 0) exceptions |= GNI_CE_FPE_OP_INVAL;
  if ((raised & FE_OVERFLOW) != 0) exceptions |= GNI_CE_FPE_OFLOW;
  if ((raised & FE_UNDERFLOW) != 0) exceptions |= GNI_CE_FPE_UFLOW;
  if ((raised & FE_INEXACT) != 0) exceptions |= GNI_CE_FPE_PRECISION;
  return static_cast<std::uint8_t>(exceptions);
}

/// The host's own addition, under its standard environment and the rounding asked for: the thread
/// that it happens in may have any, and keeps it. (volatile: the compiler knows of no environment.)
template <typename Real>
std::uint64_t add(std::uint64_t one, std::uint64_t other, int rounding, std::uint8_t& exceptions) {
  const volatile Real a = value_as<Real>(one);
  const volatile Real b = value_as<Real>(other);
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetenv(FE_DFL_ENV);
  std::fesetround(rounding);
  const volatile Real sum = a + b;
  exceptions |= exceptions_of(std::fetestexcept(FE_ALL_EXCEPT));
  std::fesetenv(&before);
  return word_of<Real>(sum);
}

/// Which of two is to be taken: -1, 1, or 0 if they are equal.
template <typename Value>
int preferred(Value one, Value other, bool maximum) {
  if (one == other) return 0;
  return (one < other) != maximum ? -1 : 1;
}

template <typename Real>
int preferred_real(std::uint64_t one, std::uint64_t other, bool maximum, std::uint8_t& exceptions) {
  const auto a = value_as<Real>(one);
  const auto b = value_as<Real>(other);
  if (std::isnan(a) || std::isnan(b)) {
    exceptions |= GNI_CE_FPE_OP_INVAL;
    return std::isnan(a) ? -1 : 1;
  }
  return preferred(a, b, maximum);
}

/// A minimum or maximum: `Integer` is signed, `Real` as wide.
template <typename Integer, typename Real>
CollectiveValue choose(gni_ce_cmd_type_t command, const CollectiveValue& one,
                       const CollectiveValue& other) {
  std::uint8_t exceptions = one.exceptions | other.exceptions;
  const bool maximum = is_maximum(command);
  int which = is_real(command) ? preferred_real<Real>(one.first, other.first, maximum, exceptions)
                               : preferred(value_as<Integer>(one.first),
                                           value_as<Integer>(other.first), maximum);
  if (which == 0) which = preferred(one.second, other.second, takes_greatest_index(command));
  CollectiveValue chosen = which <= 0 ? one : other;
  chosen.exceptions = exceptions;
  return chosen;
}

/// One of two operands; `Word` is unsigned, `Real` as wide.
template <typename Word, typename Real>
std::uint64_t combine_words(gni_ce_cmd_type_t command, std::uint32_t rounding, std::uint64_t one,
                            std::uint64_t other, std::uint8_t& exceptions) {
  switch (command) {
    case GNI_FMA_CE_AND:
      return one & other;
    case GNI_FMA_CE_OR:
      return one | other;
    case GNI_FMA_CE_XOR:
      return one ^ other;
    case GNI_FMA_CE_IADD:
      return static_cast<Word>(one + other);
    default:
      return add<Real>(one, other, host_rounding(rounding), exceptions);
  }
}

template <typename Word, typename Real>
CollectiveValue combine_as(gni_ce_cmd_type_t command, bool two_operands, std::uint32_t rounding,
                           const CollectiveValue& one, const CollectiveValue& other) {
  if (has_index(command)) return choose<std::make_signed_t<Word>, Real>(command, one, other);
  CollectiveValue both;
  both.exceptions = one.exceptions | other.exceptions;
  both.first =
      combine_words<Word, Real>(command, rounding, one.first, other.first, both.exceptions);
  if (two_operands) {
    both.second =
        combine_words<Word, Real>(command, rounding, one.second, other.second, both.exceptions);
  }
  return both;
}

}  // namespace

bool is_collective_command(unsigned command) {
  switch (whole(command)) {
    case GNI_FMA_CE_AND:
    case GNI_FMA_CE_OR:
    case GNI_FMA_CE_XOR:
    case GNI_FMA_CE_IMIN_LIDX:
    case GNI_FMA_CE_IMAX_LIDX:
    case GNI_FMA_CE_IADD:
    case GNI_FMA_CE_FPMIN_LIDX:
    case GNI_FMA_CE_FPMAX_LIDX:
    case GNI_FMA_CE_FPADD:
    case GNI_FMA_CE_IMIN_GIDX:
    case GNI_FMA_CE_IMAX_GIDX:
    case GNI_FMA_CE_FPMIN_GIDX:
    case GNI_FMA_CE_FPMAX_GIDX:
      return true;
    default:
      return false;
  }
}

CollectiveValue taken(const CollectiveOperation& operation, const CollectiveValue& operands) {
  const bool has_second = operation.two_operands || has_index(whole(operation.command));
  CollectiveValue value{operands.first, has_second ? operands.second : 0, operands.exceptions};
  if ((operation.command & whole_word) == 0) {
    value.first = static_cast<std::uint32_t>(value.first);
    value.second = static_cast<std::uint32_t>(value.second);
  }
  return value;
}

CollectiveValue combine(const CollectiveOperation& operation, std::uint32_t rounding,
                        const CollectiveValue& one, const CollectiveValue& other) {
  const gni_ce_cmd_type_t command = whole(operation.command);
  const bool two = operation.two_operands;
  return (operation.command & whole_word) != 0
             ? combine_as<std::uint64_t, double>(command, two, rounding, one, other)
             : combine_as<std::uint32_t, float>(command, two, rounding, one, other);
}

}  // namespace nic
