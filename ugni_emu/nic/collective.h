// The commands of Aries' collective engines: what they make of values, and how transactions and
// results say so.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// What the participants of a reduction have to agree on.
struct CollectiveOperation {
  std::uint8_t command = 0;   ///< gni_ce_cmd_type_t
  bool two_operands = false;  ///< GNI_CEMODE_TWO_OP; commands with an index have two anyway
  bool operator==(const CollectiveOperation&) const = default;
};

/// A participant's part of a reduction, or what several parts have become. Values of 32 bits
/// (commands "short") are in the lower half, and the upper one is 0.
struct CollectiveValue {
  std::uint64_t first = 0;
  std::uint64_t second = 0;     ///< second operand, or the index of a minimum or maximum
  std::uint8_t exceptions = 0;  ///< GNI_CE_FPE_*
};

bool is_collective_command(unsigned command);

/// What the engine takes of a participant's operands: their width, and the second only if the
/// operation has one.
CollectiveValue taken(const CollectiveOperation& operation, const CollectiveValue& operands);

/// `rounding`: one of GNI_CE_MODE_ROUND_*, or 0: to nearest. Of equal values the index decides. A
/// NaN is the minimum and the maximum, with GNI_CE_FPE_OP_INVAL.
CollectiveValue combine(const CollectiveOperation& operation, std::uint32_t rounding,
                        const CollectiveValue& one, const CollectiveValue& other);

/// Transaction::subkind of kind `collective`:
///   bits  0..5   command
///   bits  6..10  which child of the engine it comes from
///   bit  11      the operation has two operands
///   bits 12..15  exceptions
/// and of a result on its way down:
///   bits  0..3   ResponseStatus: ok, or why there is no result
///   bits 12..15  exceptions
namespace collective_bits {
constexpr unsigned child_shift = 6;
constexpr unsigned two_operands_shift = 11;
constexpr unsigned exceptions_shift = 12;

constexpr std::uint16_t contribution(const CollectiveOperation& operation, unsigned child,
                                     unsigned exceptions) {
  return static_cast<std::uint16_t>(operation.command | child << child_shift |
                                    (operation.two_operands ? 1U : 0U) << two_operands_shift |
                                    exceptions << exceptions_shift);
}
constexpr std::uint16_t result(ugni::ResponseStatus status, unsigned exceptions) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(status) | exceptions << exceptions_shift);
}
constexpr CollectiveOperation operation_in(std::uint16_t subkind) {
  return {static_cast<std::uint8_t>(subkind & 0x3F), (subkind >> two_operands_shift & 1) != 0};
}
constexpr unsigned child_in(std::uint16_t subkind) { return subkind >> child_shift & 0x1F; }
constexpr std::uint8_t exceptions_in(std::uint16_t subkind) {
  return static_cast<std::uint8_t>(subkind >> exceptions_shift);
}
/// Another process may say anything: what is no status is a failure, too.
constexpr ugni::ResponseStatus status_in(std::uint16_t subkind) {
  return static_cast<ugni::ResponseStatus>(
      std::min(subkind & 0xF, static_cast<int>(ugni::ResponseStatus::other_reduction)));
}
}  // namespace collective_bits

/// gni_ce_result_t::control (the layout is ours; programs use the accessors of gni_pub.h):
///   bits  0..31  the reduction's id
///   bits 32..35  exceptions
///   bits 40..43  ResponseStatus
///   bit  63      the result is there
namespace collective_result {
constexpr unsigned exceptions_shift = 32;
constexpr unsigned status_shift = 40;
constexpr std::uint64_t done = std::uint64_t{1} << 63;

constexpr std::uint64_t control(std::uint32_t reduction, ugni::ResponseStatus status,
                                std::uint8_t exceptions) {
  return reduction | std::uint64_t{exceptions} << exceptions_shift |
         static_cast<std::uint64_t>(status) << status_shift | done;
}
constexpr std::uint64_t status_in(std::uint64_t control) { return control >> status_shift & 0xF; }
constexpr std::uint64_t exceptions_in(std::uint64_t control) {
  return control >> exceptions_shift & 0xF;
}
}  // namespace collective_result

}  // namespace nic
