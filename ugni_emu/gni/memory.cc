// GNI_Mem*, GNI_SetMddResources, GNI_RebuildMemHndl: registered memory and its handles.
#include <algorithm>
#include <memory>
#include <new>
#include <span>

#include "corespec/host/without_data.h"
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/page_access.h"
#include "ugni_emu/nic/memory_segments.h"

namespace {

// User addresses lie below this; it also keeps address arithmetic from wrapping.
constexpr std::uint64_t address_limit = std::uint64_t{1} << 56;
constexpr std::uint32_t known_flags = 0x00001FFF | GNI_MEM_PRIV_MASK | GNI_MEM_CUDA;
// Physical memory is the kernel's business.
constexpr std::uint32_t privileged_flags =
    GNI_MEM_PHYS_CONT | GNI_MEM_PHYS_SEGMENTS | GNI_MEM_PRIV_MASK;
// There is no device with memory of its own.
constexpr std::uint32_t unavailable_flags = GNI_MEM_CUDA;
constexpr std::uint32_t reservation_flags = GNI_MEM_RESERVE_REGION | GNI_MEM_UPDATE_REGION;

/// By length: on which side of a page boundary the host happens to put a buffer must not show.
corespec::Time registration_cost(const corespec::Parameters& parameters, std::uint64_t length) {
  const auto page = static_cast<std::uint64_t>(parameters.page_size);
  const std::uint64_t pages = (length + page - 1) / page;
  return parameters.register_base + parameters.register_page * static_cast<std::int64_t>(pages);
}

/// Node memory is good, and pages of it that no rank has touched shall stay uncommitted. Memory
/// without data has no pages.
gni_return_t check_pages(const gni::Caller& caller, std::uint64_t address, std::uint64_t length,
                         std::uint32_t flags) {
  const auto* const start = reinterpret_cast<const std::byte*>(address);
  if (corespec::without_data::holds(start)) {
    const bool whole = corespec::without_data::holds(start + (length - 1));
    return whole ? GNI_RC_SUCCESS : GNI_RC_INVALID_PARAM;
  }
  if (caller.thread().node().memory().holds(start)) return GNI_RC_SUCCESS;
  const gni::PageAccess access = gni::page_access(address, length);
  if (access == gni::PageAccess::none) return GNI_RC_INVALID_PARAM;
  const bool only_read = (flags & GNI_MEM_READ_ONLY) != 0;
  return only_read || access == gni::PageAccess::all ? GNI_RC_SUCCESS : GNI_RC_PERMISSION_ERROR;
}

bool valid_range(std::uint64_t address, std::uint64_t length) {
  return address != 0 && length != 0 && address < address_limit &&
         length <= address_limit - address;
}

using Segments = std::span<const gni_mem_segment_t>;

/// A registration's arguments but for the memory.
struct Arguments {
  gni_cq_handle_t queue;
  std::uint32_t flags;
  std::uint32_t vmdh;
};

/// What can be seen at once: codes for the arguments; of the request all but the memory.
gni_return_t check_arguments(const gni::Caller& caller, const nic::Domain& domain,
                             const Arguments& arguments, nic::RegionTable::Request& request) {
  const std::uint32_t flags = arguments.flags;
  if ((flags & ~known_flags) != 0 || (flags & unavailable_flags) != 0 ||
      (flags & reservation_flags) == reservation_flags) {
    return GNI_RC_INVALID_PARAM;
  }
  if ((flags & GNI_MEM_USE_VMDH) != 0) {
    if (arguments.vmdh >= domain.memory().vmdhs()) return GNI_RC_INVALID_PARAM;
    request.vmdh = arguments.vmdh;
  }
  if ((flags & privileged_flags) != 0) return GNI_RC_PERMISSION_ERROR;
  request.flags = flags;
  if (arguments.queue == nullptr) return GNI_RC_SUCCESS;
  request.queue = caller.find(arguments.queue);
  const bool serves = request.queue != nullptr && &request.queue->domain() == &domain &&
                      request.queue->can_serve(nic::CompletionQueue::Use::remote);
  return serves ? GNI_RC_SUCCESS : GNI_RC_INVALID_PARAM;
}

gni_return_t check_pages(const gni::Caller& caller, Segments segments, std::uint32_t flags) {
  for (const gni_mem_segment_t& segment : segments) {
    const gni_return_t pages = check_pages(caller, segment.address, segment.length, flags);
    if (pages != GNI_RC_SUCCESS) return pages;
  }
  return GNI_RC_SUCCESS;
}

/// The region that was reserved under the handle; null if none is.
nic::Region* find_reserved(const nic::Domain& domain, const gni_mem_handle_t& handle) {
  nic::Region* region = domain.memory().find_local(domain, nic::memory_handle::name_of(handle));
  return region != nullptr && region->reserved ? region : nullptr;
}

/// Registers the request's memory, which lies in `segments`.
gni_return_t add_region(const gni::Caller& caller, nic::Domain& domain, Segments segments,
                        const nic::RegionTable::Request& request, gni_mem_handle_t& handle) {
  std::uint64_t bytes = 0;
  for (const gni_mem_segment_t& segment : segments) bytes += segment.length;
  const bool reserves = (request.flags & GNI_MEM_RESERVE_REGION) != 0;
  caller.charge(registration_cost(caller.parameters(), reserves ? 0 : bytes));
  caller.sync();
  if (!reserves) {
    const gni_return_t pages = check_pages(caller, segments, request.flags);
    if (pages != GNI_RC_SUCCESS) return pages;
  }
  ugni::NicFaults* const faults = domain.nic().faults();
  if (faults != nullptr && faults->refuses_registration()) return GNI_RC_ERROR_RESOURCE;
  if ((request.flags & GNI_MEM_UPDATE_REGION) != 0) {
    nic::Region* reserved = find_reserved(domain, handle);
    if (reserved == nullptr) return GNI_RC_INVALID_PARAM;
    domain.memory().fill(*reserved, request, handle);
  } else if (domain.memory().add(domain, request, handle) == nullptr) {
    return GNI_RC_ERROR_RESOURCE;
  }
  if (request.queue != nullptr) request.queue->serve(nic::CompletionQueue::Use::remote);
  return GNI_RC_SUCCESS;
}

}  // namespace

gni_return_t GNI_MemRegister(gni_nic_handle_t nic_hndl, uint64_t address, uint64_t length,
                             gni_cq_handle_t dst_cq_hndl, uint32_t flags, uint32_t vmdh_index,
                             gni_mem_handle_t* mem_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr || !valid_range(address, length)) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::RegionTable::Request request;
  request.address = address;
  request.length = length;
  const gni_return_t result =
      check_arguments(caller, *domain, {dst_cq_hndl, flags, vmdh_index}, request);
  if (result != GNI_RC_SUCCESS) return result;
  if ((flags & GNI_MEM_UPDATE_REGION) != 0 && find_reserved(*domain, *mem_hndl) == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  const gni_mem_segment_t whole{address, length};
  return add_region(caller, *domain, {&whole, 1}, request, *mem_hndl);
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_MemRegisterSegments(gni_nic_handle_t nic_hndl, gni_mem_segment_t* mem_segments,
                                     uint32_t segments_cnt, gni_cq_handle_t dst_cq_hndl,
                                     uint32_t flags, uint32_t vmdh_index,
                                     gni_mem_handle_t* mem_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr || mem_segments == nullptr || segments_cnt < 2 ||
      (flags & reservation_flags) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  const Segments segments(mem_segments, segments_cnt);
  const bool valid = std::all_of(segments.begin(), segments.end(), [](const auto& segment) {
    return valid_range(segment.address, segment.length) &&
           !corespec::without_data::holds(reinterpret_cast<const void*>(segment.address));
  });
  if (!valid) return GNI_RC_INVALID_PARAM;
  nic::RegionTable::Request request;
  const gni_return_t result =
      check_arguments(caller, *domain, {dst_cq_hndl, flags, vmdh_index}, request);
  if (result != GNI_RC_SUCCESS) return result;
  auto list = std::make_unique<const nic::MemorySegments>(segments);
  request.length = list->extent();
  request.segments = list.get();
  const gni_return_t added = add_region(caller, *domain, segments, request, *mem_hndl);
  if (added == GNI_RC_SUCCESS) static_cast<void>(list.release());  // the region's
  return added;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_SetMddResources(gni_nic_handle_t nic_hndl, uint32_t num_entries) {
  gni::Caller caller;
  const nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || num_entries == 0) return GNI_RC_INVALID_PARAM;
  if (num_entries > nic::memory_handle::mdh_count) return GNI_RC_ERROR_NOMEM;
  caller.charge(caller.parameters().system_call);
  domain->memory().set_vmdhs(std::max(num_entries, domain->memory().vmdhs()));
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_MemDeregister(gni_nic_handle_t nic_hndl, gni_mem_handle_t* mem_hndl) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  const std::uint64_t name = nic::memory_handle::name_of(*mem_hndl);
  if (domain->memory().find_local(*domain, name) == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().deregister);
  caller.sync();
  const nic::Region* region = domain->memory().find_local(*domain, name);
  if (region == nullptr) return GNI_RC_INVALID_PARAM;
  region->domain->remove_ownerless_mailboxes(region->address, region->length);
  domain->memory().remove(*region);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_RebuildMemHndl(gni_mem_handle_t* src_mem_hndl, uint32_t vmdh_index,
                                gni_mem_handle_t* dst_mem_hndl) {
  if (src_mem_hndl == nullptr || dst_mem_hndl == nullptr ||
      vmdh_index >= nic::memory_handle::mdh_count ||
      !nic::memory_handle::plausible(*src_mem_hndl)) {
    return GNI_RC_INVALID_PARAM;
  }
  const std::uint8_t flags = nic::memory_handle::flags_of(*src_mem_hndl);
  if ((flags & nic::memory_handle::flag_vmdh) == 0) return GNI_RC_INVALID_STATE;
  *dst_mem_hndl = nic::memory_handle::with_vmdh(*src_mem_hndl, vmdh_index);
  return GNI_RC_SUCCESS;
}

// A descriptor of the driver's stands for no domain here: only the handle of one counts.
gni_return_t GNI_MemQueryHndls(gni_nic_handle_t nic_hndl, int, gni_mem_handle_t* mem_hndl,
                               uint64_t* address, uint64_t* length) {
  gni::Caller caller;
  const nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr || address == nullptr || length == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::RegionTable& memory = domain->memory();
  std::uint32_t last = nic::RegionTable::any_number;
  if (mem_hndl->qword1 != 0 || mem_hndl->qword2 != 0) {
    const nic::Region* known = memory.find_local(*domain, nic::memory_handle::name_of(*mem_hndl));
    if (known == nullptr || known->domain != domain) return GNI_RC_INVALID_STATE;
    last = known->number;
  }
  const nic::Region* next = memory.next_of(*domain, last);
  if (next == nullptr) return GNI_RC_NO_MATCH;
  *mem_hndl = nic::RegionTable::handle_of(*next);
  *address = next->address;
  *length = next->length;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_MemHndlQueryAttr(gni_mem_handle_t* mem_hndl, gni_mem_handle_attr_t attr,
                                  int* yesno) {
  if (mem_hndl == nullptr || yesno == nullptr || attr < GNI_MEMHNDL_ATTR_READONLY ||
      attr > GNI_MEMHNDL_ATTR_CLONE || !nic::memory_handle::plausible(*mem_hndl)) {
    return GNI_RC_INVALID_PARAM;
  }
  // The attributes are numbered in the order of the handle's flag bits.
  const unsigned bit = static_cast<unsigned>(attr) - GNI_MEMHNDL_ATTR_READONLY;
  *yesno = (nic::memory_handle::flags_of(*mem_hndl) >> bit) & 1;
  return GNI_RC_SUCCESS;
}
