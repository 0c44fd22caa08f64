// How a completion queue entry is packed into its 64 bits.
#pragma once

#include <cstdint>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

/// The layout (ours; programs use the accessors of gni_pub.h):
///   bits  0..31  event word (inst_id), or the msg_id of a message that was sent
///   bits 32..51  transaction id of a posted descriptor
///   bits  0..47  of a CQ write's remote event: its value
///   bits  0..51  of a collective engine's own event, which is one of kind `collective` with the
///                source bit (what a program posts to an engine has none): 0..31 the reduction's
///                id, 32..51 the engine's id
///   bits 52..55  status: 0 = success, else 1 + ResponseStatus
///   bits 56..58  kind of transaction (TransactionKind: all eight values are in use)
///   bit  59      source: 1 = remote event
///   bit  60      the target's queue lost an event
///   bit  61      overrun of this queue
///   bits 62..63  type (GNI_CQ_EVENT_TYPE_*)
namespace cq_entry {

constexpr std::uint64_t low_bits(unsigned count) { return (std::uint64_t{1} << count) - 1; }

constexpr unsigned tid_shift = 32;
constexpr std::uint64_t tid_mask = low_bits(20);
constexpr unsigned status_shift = 52;
constexpr std::uint64_t status_mask = low_bits(4);
constexpr unsigned kind_shift = 56;
constexpr std::uint64_t kind_mask = low_bits(3);
constexpr unsigned source_shift = 59;
constexpr unsigned remote_overrun_shift = 60;
constexpr unsigned overrun_shift = 61;
constexpr unsigned type_shift = 62;
constexpr std::uint64_t data_mask = low_bits(48);

constexpr std::uint64_t field(gni_cq_entry_t entry, unsigned shift, std::uint64_t mask) {
  return (entry >> shift) & mask;
}
constexpr void set_field(gni_cq_entry_t& entry, unsigned shift, std::uint64_t mask,
                         std::uint64_t value) {
  entry = (entry & ~(mask << shift)) | ((value & mask) << shift);
}

constexpr std::uint64_t status_of(ugni::ResponseStatus status) {
  return ugni::is_done(status) ? 0 : static_cast<std::uint64_t>(status);
}
constexpr ugni::ResponseStatus status_in(gni_cq_entry_t entry) {
  return static_cast<ugni::ResponseStatus>(field(entry, status_shift, status_mask));
}

constexpr gni_cq_entry_t kind_bits(ugni::TransactionKind kind) {
  return static_cast<std::uint64_t>(kind) << kind_shift;
}

/// A descriptor of this rank completed.
constexpr gni_cq_entry_t posted(std::uint32_t event, std::uint32_t tid, ugni::TransactionKind kind,
                                ugni::ResponseStatus status) {
  return event | (tid & tid_mask) << tid_shift | status_of(status) << status_shift |
         kind_bits(kind) | GNI_CQ_EVENT_TYPE_POST << type_shift;
}

/// A message of this rank was delivered (or not), or a PUT that brings no descriptor back.
constexpr gni_cq_entry_t sent(std::uint32_t msg_id, ugni::ResponseStatus status) {
  return msg_id | status_of(status) << status_shift | kind_bits(ugni::TransactionKind::message) |
         GNI_CQ_EVENT_TYPE_SMSG << type_shift;
}

/// A peer's transaction arrived here.
constexpr gni_cq_entry_t arrived(std::uint64_t data, ugni::TransactionKind kind) {
  const std::uint64_t type =
      kind == ugni::TransactionKind::message ? GNI_CQ_EVENT_TYPE_SMSG : GNI_CQ_EVENT_TYPE_POST;
  return (data & data_mask) | kind_bits(kind) | std::uint64_t{1} << source_shift |
         type << type_shift;
}

/// A collective engine has ended a reduction, or refused a part of it.
constexpr gni_cq_entry_t reduced(std::uint32_t engine, std::uint32_t reduction,
                                 ugni::ResponseStatus status) {
  return reduction | (engine & tid_mask) << tid_shift | status_of(status) << status_shift |
         kind_bits(ugni::TransactionKind::collective) | std::uint64_t{1} << source_shift |
         GNI_CQ_EVENT_TYPE_POST << type_shift;
}
constexpr bool is_of_engine(gni_cq_entry_t entry) {
  return field(entry, source_shift, 1) != 0 &&
         field(entry, kind_shift, kind_mask) ==
             static_cast<std::uint64_t>(ugni::TransactionKind::collective);
}

}  // namespace cq_entry
}  // namespace nic
