// Registered memory: handles made, found and checked.
#include "ugni_emu/nic/region_table.h"

#include <cstring>
#include <vector>

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/memory_segments.h"

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

gni_mem_handle_t make(std::uint64_t address, std::uint64_t length, std::uint16_t number,
                      std::uint8_t flags, std::uint32_t owner) {
  const std::uint64_t first_page = address >> page_shift;
  const std::uint64_t last_page = (address + length - 1) >> page_shift;
  const std::uint64_t all_pages = (std::uint64_t{1} << pages_bits) - 1;
  std::uint64_t pages = last_page - first_page + 1;
  if (pages > all_pages) pages = all_pages;
  gni_mem_handle_t handle;
  handle.qword1 = name_at(address, number) & ~vmdh_bit;
  if (number >= mdh_count) flags |= flag_vmdh;
  handle.qword2 = pages | std::uint64_t{page_shift} << 28 | std::uint64_t{flags} << flags_shift |
                  std::uint64_t{owner} << owner_shift;
  handle.qword2 |= std::uint64_t{crc8(handle.qword1, handle.qword2)} << crc_shift;
  return handle;
}

gni_mem_handle_t with_vmdh(const gni_mem_handle_t& handle, std::uint32_t vmdh) {
  constexpr std::uint64_t address = (std::uint64_t{1} << (64 - mdh_bits)) - 1;
  constexpr std::uint64_t crc = std::uint64_t{0xFF} << crc_shift;
  gni_mem_handle_t changed;
  changed.qword1 = (handle.qword1 & address) | std::uint64_t{vmdh} << (64 - mdh_bits);
  changed.qword2 = handle.qword2 & ~crc;
  changed.qword2 |= std::uint64_t{crc8(changed.qword1, changed.qword2)} << crc_shift;
  return changed;
}

bool plausible(const gni_mem_handle_t& handle) {
  const auto shift = static_cast<unsigned>((handle.qword2 >> pages_bits) & 0x3F);
  const std::uint64_t pages = handle.qword2 & ((std::uint64_t{1} << pages_bits) - 1);
  return shift >= page_shift && pages != 0 && (flags_of(handle) & flag_new_format) == 0;
}

}  // namespace memory_handle

/// An MDH, `least` or more, that no process of the node has: takes it.
bool RegionTable::claim_mdh(std::uint32_t least, std::uint32_t& number) {
  constexpr std::uint32_t count = memory_handle::mdh_count;
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    number = next_mdh_;
    next_mdh_ = static_cast<std::uint16_t>((next_mdh_ + 1) % count);
    if (number < least) continue;
    const auto mdh = static_cast<std::uint16_t>(number);
    if (regions_.find(mdh) == nullptr && wire_->claim_region(nic_, name_, mdh)) return true;
  }
  return false;
}

void Region::read(std::uint64_t at, std::span<std::byte> into) const {
  if (segments != nullptr) return segments->read(at, into);
  if (!into.empty()) std::memcpy(into.data(), reinterpret_cast<const std::byte*>(at), into.size());
}

void Region::write(std::uint64_t at, std::span<const std::byte> from) const {
  if (segments != nullptr) return segments->write(at, from);
  if (!from.empty()) std::memcpy(reinterpret_cast<std::byte*>(at), from.data(), from.size());
}

std::byte* Region::word_at(std::uint64_t at) const {
  return segments != nullptr ? segments->at(at) : reinterpret_cast<std::byte*>(at);
}

const Region* RegionTable::add(Domain& domain, const Request& request, gni_mem_handle_t& handle) {
  std::uint32_t number = memory_handle::mdh_count + request.vmdh;
  if (request.vmdh == any_number) {
    // No name of a region is 0.
    if (!claim_mdh(request.address == 0 ? 1 : 0, number)) return nullptr;
    ++own_mdhs_;
  } else {
    const auto vmdh = static_cast<std::uint16_t>(number);
    const bool free = regions_.find(vmdh) == nullptr && wire_->claim_region(nic_, name_, vmdh);
    if (!free) return nullptr;
  }
  Region fresh;
  fresh.domain = &domain;
  fresh.number = static_cast<std::uint16_t>(number);
  Region& made = regions_.insert(number, fresh);
  fill(made, request, handle);
  return &made;
}

gni_mem_handle_t RegionTable::handle_of(const Region& region) {
  const std::uint8_t flags =
      (region.flags & GNI_MEM_READ_ONLY) != 0 ? memory_handle::flag_readonly : std::uint8_t{0};
  const std::uint32_t place = region.domain->place();
  const std::uint32_t owner = place < memory_handle::most_owners ? place + 1 : 0;
  return memory_handle::make(region.address, region.length, region.number, flags, owner);
}

void RegionTable::fill(Region& region, const Request& request, gni_mem_handle_t& handle) {
  conceal(region);
  region.address = request.address;
  region.length = request.length;
  region.queue = request.queue;
  region.flags = request.flags;
  region.segments = request.segments;
  region.reserved = (request.flags & GNI_MEM_RESERVE_REGION) != 0;
  handle = handle_of(region);
  if (!region.reserved) expose(region);
}

void RegionTable::remove(const Region& region) {
  const std::uint16_t number = region.number;
  conceal(*regions_.find(number));
  delete region.segments;
  regions_.erase(number);
  if (number < memory_handle::mdh_count) --own_mdhs_;
  wire_->release_region(nic_, name_, number);
}

void RegionTable::remove_all_of(const Domain& domain) {
  std::vector<std::uint16_t> gone;
  regions_.for_each([&](std::uint64_t number, const Region& region) {
    if (region.domain == &domain) gone.push_back(static_cast<std::uint16_t>(number));
  });
  for (const std::uint16_t number : gone) remove(*regions_.find(number));
}

Region* RegionTable::next_of(const Domain& domain, std::uint32_t number) {
  Region* next = nullptr;
  regions_.for_each([&](std::uint64_t each, Region& region) {
    const bool behind = number == any_number || each > number;
    if (region.domain != &domain || !behind) return;
    if (next == nullptr || region.number < next->number) next = &region;
  });
  return next;
}

Region* RegionTable::find_local(const Domain& domain, std::uint64_t name) {
  Region* const region = find(name);
  return region != nullptr && region->domain->place() == domain.place() ? region : nullptr;
}

ugni::ResponseStatus RegionTable::check(Region* found, std::uint64_t address, std::uint64_t length,
                                        Access access, Region*& region) {
  if (found == nullptr || found->reserved) return ugni::ResponseStatus::invalid_handle;
  if (access == Access::write && (found->flags & GNI_MEM_READ_ONLY)) {
    return ugni::ResponseStatus::permission;
  }
  const std::uint64_t offset = address - found->address;  // wraps far up if below the region
  if (offset > found->length || length > found->length - offset) {
    return ugni::ResponseStatus::out_of_bounds;
  }
  if (found->segments != nullptr && !found->segments->holds(offset, length)) {
    return ugni::ResponseStatus::out_of_bounds;
  }
  region = found;
  return ugni::ResponseStatus::ok;
}

void RegionTable::expose(Region& region) {
  if (region.segments != nullptr) return;
  const ugni::ExposedRegion exposed = {
      reinterpret_cast<std::byte*>(region.address),
      region.length,
      name_,
      memory_handle::name_at(region.address, region.number),
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
    if (region.domain != &domain || region.reserved) return;
    found = found || (region.segments != nullptr ? region.segments->has(address)
                                                 : address - region.address < region.length);
  });
  return found;
}

void RegionTable::forget(const CompletionQueue& queue) {
  regions_.for_each([&](std::uint64_t, Region& region) {
    if (region.queue == &queue) region.queue = nullptr;
  });
}

}  // namespace nic
