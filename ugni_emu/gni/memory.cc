// GNI_MemRegister, GNI_MemDeregister, GNI_MemHndlQueryAttr.
#include <new>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/page_access.h"

namespace {

// User addresses lie below this; it also keeps address arithmetic from wrapping.
constexpr std::uint64_t address_limit = std::uint64_t{1} << 56;
constexpr std::uint32_t known_flags = 0x00001FFF | GNI_MEM_PRIV_MASK | GNI_MEM_CUDA;
// Physical memory is the kernel's business.
constexpr std::uint32_t privileged_flags =
    GNI_MEM_PHYS_CONT | GNI_MEM_PHYS_SEGMENTS | GNI_MEM_PRIV_MASK;
// Need vMDH entries (GNI_SetMddResources), which a domain does not have, or a device's memory.
constexpr std::uint32_t unavailable_flags =
    GNI_MEM_USE_VMDH | GNI_MEM_RESERVE_REGION | GNI_MEM_UPDATE_REGION | GNI_MEM_CUDA;

/// By length: on which side of a page boundary the host happens to put a buffer must not show.
corespec::Time registration_cost(const corespec::Parameters& parameters, std::uint64_t length) {
  const auto page = static_cast<std::uint64_t>(parameters.page_size);
  const std::uint64_t pages = (length + page - 1) / page;
  return parameters.register_base + parameters.register_page * static_cast<std::int64_t>(pages);
}

/// Node memory is good, and pages of it that no rank has touched shall stay uncommitted.
gni_return_t check_pages(const gni::Caller& caller, std::uint64_t address, std::uint64_t length,
                         std::uint32_t flags) {
  if (caller.thread().node().memory().holds(reinterpret_cast<const void*>(address))) {
    return GNI_RC_SUCCESS;
  }
  const gni::PageAccess access = gni::page_access(address, length);
  if (access == gni::PageAccess::none) return GNI_RC_INVALID_PARAM;
  const bool only_read = (flags & GNI_MEM_READ_ONLY) != 0;
  return only_read || access == gni::PageAccess::all ? GNI_RC_SUCCESS : GNI_RC_PERMISSION_ERROR;
}

bool valid_range(std::uint64_t address, std::uint64_t length) {
  return address != 0 && length != 0 && address < address_limit &&
         length <= address_limit - address;
}

}  // namespace

gni_return_t GNI_MemRegister(gni_nic_handle_t nic_hndl, uint64_t address, uint64_t length,
                             gni_cq_handle_t dst_cq_hndl, uint32_t flags, uint32_t vmdh_index,
                             gni_mem_handle_t* mem_hndl) try {
  (void)vmdh_index;  // means something with GNI_MEM_USE_VMDH only
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr || !valid_range(address, length) ||
      (flags & ~known_flags) != 0 || (flags & unavailable_flags) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  if (flags & privileged_flags) return GNI_RC_PERMISSION_ERROR;
  nic::CompletionQueue* queue = nullptr;
  if (dst_cq_hndl != nullptr) {
    queue = caller.find(dst_cq_hndl);
    if (queue == nullptr || &queue->domain() != domain ||
        !queue->can_serve(nic::CompletionQueue::Use::remote)) {
      return GNI_RC_INVALID_PARAM;
    }
  }
  caller.charge(registration_cost(caller.parameters(), length));
  caller.sync();
  const gni_return_t pages = check_pages(caller, address, length, flags);
  if (pages != GNI_RC_SUCCESS) return pages;
  if (domain->memory().add(*domain, address, length, queue, flags, *mem_hndl) == nullptr) {
    return GNI_RC_ERROR_RESOURCE;
  }
  if (queue != nullptr) queue->serve(nic::CompletionQueue::Use::remote);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_MemDeregister(gni_nic_handle_t nic_hndl, gni_mem_handle_t* mem_hndl) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || mem_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  if (domain->memory().find_local(*domain, mem_hndl->qword1) == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().deregister);
  caller.sync();
  const nic::Region* region = domain->memory().find_local(*domain, mem_hndl->qword1);
  if (region == nullptr) return GNI_RC_INVALID_PARAM;
  region->domain->remove_ownerless_mailboxes(region->address, region->length);
  domain->memory().remove(*region);
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
