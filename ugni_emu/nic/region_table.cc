// Registered memory: handles made, found and checked.
#include "ugni_emu/nic/region_table.h"

#include <vector>

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"

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
                      std::uint8_t flags, std::uint32_t owner) {
  const std::uint64_t first_page = address >> page_shift;
  const std::uint64_t last_page = (address + length - 1) >> page_shift;
  const std::uint64_t all_pages = (std::uint64_t{1} << pages_bits) - 1;
  std::uint64_t pages = last_page - first_page + 1;
  if (pages > all_pages) pages = all_pages;
  gni_mem_handle_t handle;
  handle.qword1 = first_page | std::uint64_t{mdh} << (64 - mdh_bits);
  handle.qword2 = pages | std::uint64_t{page_shift} << 28 | std::uint64_t{flags} << 34 |
                  std::uint64_t{owner} << owner_shift;
  handle.qword2 |= std::uint64_t{crc8(handle.qword1, handle.qword2)} << crc_shift;
  return handle;
}

bool plausible(const gni_mem_handle_t& handle) {
  const auto shift = static_cast<unsigned>((handle.qword2 >> pages_bits) & 0x3F);
  const std::uint64_t pages = handle.qword2 & ((std::uint64_t{1} << pages_bits) - 1);
  return shift >= page_shift && pages != 0 && (flags_of(handle) & flag_new_format) == 0;
}

}  // namespace memory_handle

/// Makes next_mdh_ one that no process of the node has, and takes it.
bool RegionTable::claim_mdh() {
  constexpr std::uint32_t count = memory_handle::mdh_count;
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    if (regions_.find(next_mdh_) == nullptr && wire_->claim_region(nic_, name_, next_mdh_)) {
      return true;
    }
    next_mdh_ = (next_mdh_ + 1) % count;
  }
  return false;
}

const Region* RegionTable::add(Domain& domain, std::uint64_t address, std::uint64_t length,
                               CompletionQueue* queue, std::uint32_t flags,
                               gni_mem_handle_t& handle) {
  if (!claim_mdh()) return nullptr;
  const std::uint8_t handle_flags = (flags & GNI_MEM_READ_ONLY) ? memory_handle::flag_readonly : 0;
  const std::uint32_t owner = domain.place() < memory_handle::most_owners ? domain.place() + 1 : 0;
  handle = memory_handle::make(address, length, next_mdh_, handle_flags, owner);
  Region& made =
      regions_.insert(next_mdh_, {address, length, &domain, queue, 0, flags, next_mdh_, false});
  next_mdh_ = (next_mdh_ + 1) % memory_handle::mdh_count;
  expose(made);
  return &made;
}

void RegionTable::remove(const Region& region) {
  const std::uint16_t mdh = region.mdh;
  conceal(*regions_.find(mdh));
  regions_.erase(mdh);
  wire_->release_region(nic_, name_, mdh);
}

void RegionTable::remove_all_of(const Domain& domain) {
  std::vector<std::uint16_t> gone;
  regions_.for_each([&](std::uint64_t mdh, const Region& region) {
    if (region.domain == &domain) gone.push_back(static_cast<std::uint16_t>(mdh));
  });
  for (const std::uint16_t mdh : gone) remove(*regions_.find(mdh));
}

Region* RegionTable::find_local(const Domain& domain, std::uint64_t qword1) {
  Region* const region = find(qword1);
  return region != nullptr && region->domain->place() == domain.place() ? region : nullptr;
}

ugni::ResponseStatus RegionTable::check(Region* found, std::uint64_t address, std::uint64_t length,
                                        Access access, Region*& region) {
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

void RegionTable::expose(Region& region) {
  const ugni::ExposedRegion exposed = {
      reinterpret_cast<std::byte*>(region.address),
      region.length,
      name_,
      region.address >> memory_handle::page_shift | std::uint64_t{region.mdh}
                                                        << (64 - memory_handle::mdh_bits),
      (region.flags & GNI_MEM_READ_ONLY) == 0 && !region.keeps_payloads,
      !region.keeps_payloads,
      region.queue != nullptr && region.queue->blocking()};
  region.exposed = wire_->expose(exposed);
}

void RegionTable::conceal(Region& region) {
  if (region.exposed != 0) wire_->conceal(region.exposed);
  region.exposed = 0;
}

bool RegionTable::holds(const Domain& domain, std::uint64_t address) {
  bool found = false;
  regions_.for_each([&](std::uint64_t, const Region& region) {
    found = found || (region.domain == &domain && address - region.address < region.length);
  });
  return found;
}

void RegionTable::forget(const CompletionQueue& queue) {
  regions_.for_each([&](std::uint64_t, Region& region) {
    if (region.queue == &queue) region.queue = nullptr;
  });
}

}  // namespace nic
