// The bits of a memory handle that say which region of which NIC it names.
#pragma once

#include <cstdint>

namespace ugni {

/// Layout version 1:
///   qword1  51:0 virtual address >> 12, 63:52 MDH (memory domain handle, 12 bits)
///   qword2  27:0 pages, 33:28 page shift, 41:34 flags, 53:42 owner (ours: the hardware leaves
///   these
///           blank), 63:56 CRC-8 over the rest
/// A NIC finds a region by its MDH. Clients may rebuild a handle from its address, MDH and flags,
/// so that the owner is a hint alone.
namespace memory_handle {
constexpr unsigned page_shift = 12;
constexpr unsigned mdh_bits = 12;
constexpr std::uint32_t mdh_count = 1U << mdh_bits;
constexpr unsigned owner_shift = 42;
constexpr unsigned owner_bits = 12;
constexpr std::uint32_t most_owners = (1U << owner_bits) - 1;

constexpr std::uint16_t mdh_of(std::uint64_t qword1) {
  return static_cast<std::uint16_t>(qword1 >> (64 - mdh_bits));
}
/// The process that registered the region: one more than its place among the ranks of the node, or
/// 0 if the handle does not say.
constexpr std::uint32_t owner_of(std::uint64_t qword2) {
  return static_cast<std::uint32_t>(qword2 >> owner_shift) & most_owners;
}
}  // namespace memory_handle

}  // namespace ugni
