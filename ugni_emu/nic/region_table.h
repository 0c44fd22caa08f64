// The memory that one communication domain has registered, and the handles that name it.
#pragma once

#include <array>
#include <cstdint>

#include "corespec/containers/flat_map.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;

/// The bits of a memory handle, layout version 1:
///   qword1  51:0 virtual address >> 12, 63:52 MDH (memory domain handle, 12 bits)
///   qword2  27:0 pages, 33:28 page shift, 41:34 flags, 63:56 CRC-8 over the rest
namespace memory_handle {
constexpr unsigned page_shift = 12;
constexpr unsigned mdh_bits = 12;
constexpr std::uint8_t flag_readonly = 0x01;
constexpr std::uint8_t flag_new_format = 0x80;  // layout version 2: never issued

gni_mem_handle_t make(std::uint64_t address, std::uint64_t length, std::uint32_t mdh,
                      std::uint8_t flags);
constexpr std::uint32_t mdh_of(std::uint64_t qword1) {
  return static_cast<std::uint32_t>(qword1 >> 52);
}
constexpr std::uint8_t flags_of(const gni_mem_handle_t& handle) {
  return static_cast<std::uint8_t>(handle.qword2 >> 34);
}
/// False for handles that no registration ever issued (all zero, another layout).
bool plausible(const gni_mem_handle_t& handle);
}  // namespace memory_handle

struct Region {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  CompletionQueue* queue = nullptr;  ///< where remote events go, or null
  std::uint32_t flags = 0;           ///< GNI_MEM_*
  std::uint16_t mdh = 0;
  bool keeps_payloads = false;  ///< see doors.h
};

/// Regions are found by MDH; the handle's address must agree, its other bits may differ (clients
/// rebuild handles from compressed keys). An MDH is used again only after all 4,096 have had
/// their turn, so that a stale handle meets an unused MDH or an address that does not fit.
class RegionTable {
 public:
  /// The new region; null if all MDHs are in use.
  const Region* add(std::uint64_t address, std::uint64_t length, CompletionQueue* queue,
                    std::uint32_t flags, gni_mem_handle_t& handle);
  /// False if the handle names no region.
  bool remove(const gni_mem_handle_t& handle, Region& removed);

  /// The region a handle names, or null.
  Region* find(std::uint64_t qword1) {
    Region* region = find_mdh(memory_handle::mdh_of(qword1));
    const bool fits =
        region != nullptr &&
        ((region->address >> memory_handle::page_shift) ^ qword1) << memory_handle::mdh_bits == 0;
    return fits ? region : nullptr;
  }

  enum class Access : std::uint8_t { read, write };

  /// May `length` bytes at `address` be read or written under this handle? `region` is set if ok.
  ugni::ResponseStatus check(std::uint64_t qword1, std::uint64_t address, std::uint64_t length,
                             Access access, Region*& region);

  /// No region sends events to `queue` any more.
  void forget(const CompletionQueue& queue);

  /// True if a region has the address in it. A signal handler may call it.
  bool holds(std::uint64_t address);

  std::size_t size() const { return size_; }

 private:
  friend struct Prefetch;
  Region* find_mdh(std::uint32_t mdh) {
    for (Region& region : first_) {
      if (region.mdh == mdh && region.length != 0) return &region;
    }
    return more_.find(mdh);
  }

  // Mailboxes and DMA buffers are registered first and are what most traffic goes to.
  std::array<Region, 2> first_;  ///< length 0: free
  corespec::FlatMap<Region> more_;
  std::uint32_t size_ = 0;
  std::uint32_t next_mdh_ = 1;
};

}  // namespace nic
