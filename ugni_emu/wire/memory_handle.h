// The bits of a memory handle that say which region of which NIC it names.
#pragma once

#include <cstdint>

namespace ugni {

/// Layout version 1:
///   qword1  51:0 virtual address >> 12, 63:52 MDH (memory domain handle, 12 bits)
///   qword2  27:0 pages, 33:28 page shift, 41:34 flags, 53:42 owner (ours: the hardware leaves
///   these
///           blank), 63:56 CRC-8 over the rest
/// A NIC finds a region by its MDH, or, if the flag says so, by a virtual MDH, which the process
/// chooses itself. Clients may rebuild a handle from its address, MDH and flags, so that the owner
/// is a hint alone.
namespace memory_handle {
constexpr unsigned page_shift = 12;
constexpr unsigned mdh_bits = 12;
constexpr std::uint32_t mdh_count = 1U << mdh_bits;
constexpr unsigned flags_shift = 34;
constexpr std::uint8_t flag_readonly = 0x01;
constexpr std::uint8_t flag_vmdh = 0x02;
constexpr std::uint8_t flag_new_format = 0x80;  // layout version 2: never issued
constexpr unsigned owner_shift = 42;
constexpr unsigned owner_bits = 12;
constexpr std::uint32_t most_owners = (1U << owner_bits) - 1;

/// The process that registered the region: one more than its place among the ranks of the node, or
/// 0 if the handle does not say.
constexpr std::uint32_t owner_of(std::uint64_t qword2) {
  return static_cast<std::uint32_t>(qword2 >> owner_shift) & most_owners;
}

/// What transactions carry in the place of qword1, the region's name: the handle's MDH and address,
/// and in the address's highest bit, which no address has, whether the MDH is a virtual one.
constexpr std::uint64_t vmdh_bit = std::uint64_t{1} << 51;
constexpr std::uint64_t name_of(std::uint64_t qword1, std::uint64_t qword2) {
  const bool by_vmdh = (qword2 >> flags_shift & flag_vmdh) != 0;
  return (qword1 & ~vmdh_bit) | (by_vmdh ? vmdh_bit : 0);
}
/// The region's number on its NIC: MDHs, then virtual MDHs.
constexpr std::uint16_t number_of(std::uint64_t name) {
  const auto mdh = static_cast<std::uint16_t>(name >> (64 - mdh_bits));
  return static_cast<std::uint16_t>((name & vmdh_bit) != 0 ? mdh_count + mdh : mdh);
}
constexpr std::uint32_t number_count = 2 * mdh_count;
/// The address of the page in which the named region begins.
constexpr std::uint64_t page_address(std::uint64_t name) {
  return (name & (((std::uint64_t{1} << (64 - mdh_bits)) - 1) & ~vmdh_bit)) << page_shift;
}
/// The name of the region with this number at the address.
constexpr std::uint64_t name_at(std::uint64_t address, std::uint16_t number) {
  return address >> page_shift | std::uint64_t{number % mdh_count} << (64 - mdh_bits) |
         (number >= mdh_count ? vmdh_bit : 0);
}
}  // namespace memory_handle

}  // namespace ugni
