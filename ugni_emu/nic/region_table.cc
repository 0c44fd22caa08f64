// Registered memory: handles made, found and checked.
#include "ugni_emu/nic/region_table.h"

#include <algorithm>

namespace nic {
namespace memory_handle {
namespace {

constexpr unsigned pages_bits = 28;
constexpr unsigned crc_shift = 56;

std::uint8_t crc8(std::uint64_t qword1, std::uint64_t qword2) {
  constexpr std::uint8_t polynomial = 0x07;
  std::uint8_t crc = 0;
  const std::uint64_t words[2] = {qword1, qword2};
  for (const std::uint64_t word : words) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      crc = static_cast<std::uint8_t>(crc ^ (word >> shift));
      for (int bit = 0; bit < 8; ++bit) {
        crc = static_cast<std::uint8_t>((crc & 0x80) ? (crc << 1) ^ polynomial : crc << 1);
      }
    }
  }
  return crc;
}

}  // namespace

gni_mem_handle_t make(std::uint64_t address, std::uint64_t length, std::uint32_t mdh,
                      std::uint8_t flags) {
  const std::uint64_t first_page = address >> page_shift;
  const std::uint64_t last_page = (address + length - 1) >> page_shift;
  const std::uint64_t all_pages = (std::uint64_t{1} << pages_bits) - 1;
  std::uint64_t pages = last_page - first_page + 1;
  if (pages > all_pages) pages = all_pages;
  gni_mem_handle_t handle;
  handle.qword1 = first_page | std::uint64_t{mdh} << 52;
  handle.qword2 = pages | std::uint64_t{page_shift} << 28 | std::uint64_t{flags} << 34;
  handle.qword2 |= std::uint64_t{crc8(handle.qword1, handle.qword2)} << crc_shift;
  return handle;
}

bool plausible(const gni_mem_handle_t& handle) {
  const auto shift = static_cast<unsigned>((handle.qword2 >> pages_bits) & 0x3F);
  const std::uint64_t pages = handle.qword2 & ((std::uint64_t{1} << pages_bits) - 1);
  return shift >= page_shift && pages != 0 && (flags_of(handle) & flag_new_format) == 0;
}

}  // namespace memory_handle

const Region* RegionTable::add(std::uint64_t address, std::uint64_t length, CompletionQueue* queue,
                               std::uint32_t flags, gni_mem_handle_t& handle) {
  constexpr std::uint32_t count = 1U << memory_handle::mdh_bits;
  if (size_ == count) return nullptr;
  while (find_mdh(next_mdh_) != nullptr) next_mdh_ = (next_mdh_ + 1) % count;
  const std::uint8_t handle_flags = (flags & GNI_MEM_READ_ONLY) ? memory_handle::flag_readonly : 0;
  handle = memory_handle::make(address, length, next_mdh_, handle_flags);
  const Region fresh = {address, length, queue, flags, static_cast<std::uint16_t>(next_mdh_)};
  const auto room = std::find_if(first_.begin(), first_.end(),
                                 [](const Region& region) { return region.length == 0; });
  Region& made = room == first_.end() ? more_.insert(fresh.mdh, fresh) : * room = fresh;
  ++size_;
  next_mdh_ = (next_mdh_ + 1) % count;
  return &made;
}

bool RegionTable::remove(const gni_mem_handle_t& handle, Region& removed) {
  Region* region = find(handle.qword1);
  if (region == nullptr) return false;
  removed = *region;
  if (!more_.erase(removed.mdh)) *region = Region();
  --size_;
  return true;
}

ugni::ResponseStatus RegionTable::check(std::uint64_t qword1, std::uint64_t address,
                                        std::uint64_t length, Access access, Region*& region) {
  Region* found = find(qword1);
  if (found == nullptr) return ugni::ResponseStatus::invalid_handle;
  if (access == Access::write && (found->flags & GNI_MEM_READ_ONLY)) {
    return ugni::ResponseStatus::permission;
  }
  const std::uint64_t offset = address - found->address;  // wraps far up if below the region
  if (offset > found->length || length > found->length - offset) {
    return ugni::ResponseStatus::out_of_bounds;
  }
  region = found;
  return ugni::ResponseStatus::ok;
}

bool RegionTable::holds(std::uint64_t address) {
  bool found = false;
  const auto look_in = [&](const Region& region) {
    found = found || address - region.address < region.length;
  };
  std::for_each(first_.begin(), first_.end(), look_in);
  more_.for_each([&](std::uint64_t, const Region& region) { look_in(region); });
  return found;
}

void RegionTable::forget(const CompletionQueue& queue) {
  const auto forget_in = [&](Region& region) {
    if (region.queue == &queue) region.queue = nullptr;
  };
  std::for_each(first_.begin(), first_.end(), forget_in);
  more_.for_each([&](std::uint64_t, Region& region) { forget_in(region); });
}

}  // namespace nic
