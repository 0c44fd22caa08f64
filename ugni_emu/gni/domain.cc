// GNI_Cdm*: communication domains.
#include <new>

#include "corespec/job/job.h"
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/node_device.h"

namespace gni {

bool is_local_device(std::uint32_t device_id) {
  return device_id == 0 || device_id == static_cast<std::uint32_t>(-1);
}

bool find_ptag(const Caller& caller, std::uint32_t cookie, std::uint8_t& ptag) {
  const corespec::Job& job = caller.process().job();
  if (cookie != job.cookie()) return false;
  ptag = job.ptag();
  return true;
}

namespace {

// A tag for a cookie that is not the job's: the same on every node, from the range for users.
std::uint8_t allocate_ptag(std::uint32_t cookie) {
  constexpr std::uint32_t user_tags = GNI_PTAG_USER_END - GNI_PTAG_USER_START + 1;
  return static_cast<std::uint8_t>(GNI_PTAG_USER_START + cookie % user_tags);
}

}  // namespace
}  // namespace gni

gni_return_t GNI_CdmCreate(uint32_t inst_id, uint8_t ptag, uint32_t cookie, uint32_t modes,
                           gni_cdm_handle_t* cdm_hndl) try {
  gni::Caller caller;
  if (!caller.is_rank() || cdm_hndl == nullptr || ptag == 0 ||
      (modes & GNI_CDM_MODE_PRIV_MASK) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  std::uint8_t tag = ptag;
  if (ptag == GNI_FIND_ALLOC_PTAG && !gni::find_ptag(caller, cookie, tag)) {
    tag = gni::allocate_ptag(cookie);
  }
  auto* domain = caller.objects().make<gni::CommunicationDomain>(
      gni::CommunicationDomain{{inst_id, cookie, tag}, modes});
  *cdm_hndl = reinterpret_cast<gni_cdm_handle_t>(domain);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm_hndl, uint32_t device_id, uint32_t* local_addr,
                           gni_nic_handle_t* nic_hndl) try {
  gni::Caller caller;
  gni::CommunicationDomain* domain = caller.find(cdm_hndl);
  if (domain == nullptr || local_addr == nullptr || nic_hndl == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  if (!gni::is_local_device(device_id)) return GNI_RC_NO_MATCH;
  nic::Nic* device = nic::Nic::of(caller.thread().node());
  if (device == nullptr) return GNI_RC_NO_MATCH;
  if (domain->attachment != nullptr) return GNI_RC_INVALID_STATE;
  caller.sync();
  auto* attachment =
      caller.objects().make<nic::Domain>(*device, domain->id, domain->modes,
                                         static_cast<std::uint32_t>(caller.process().local_rank()));
  const gni_return_t result = attachment->attach();
  if (result != GNI_RC_SUCCESS) {
    caller.objects().destroy(*attachment);
    return result;
  }
  domain->attachment = attachment;
  *local_addr = device->address();
  *nic_hndl = nic::handle_of(*domain->attachment);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm_hndl) {
  gni::Caller caller;
  gni::CommunicationDomain* domain = caller.find(cdm_hndl);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  caller.sync();
  caller.objects().abandon_reductions(*domain);
  caller.objects().destroy_all_of(*domain);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CdmGetNicAddress(uint32_t device_id, uint32_t* address, uint32_t* cpu_id) {
  gni::Caller caller;
  if (address == nullptr || cpu_id == nullptr) return GNI_RC_INVALID_PARAM;
  if (!caller.is_rank() || !gni::is_local_device(device_id)) return GNI_RC_NO_MATCH;
  const nic::Nic* device = nic::Nic::of(caller.thread().node());
  if (device == nullptr) return GNI_RC_NO_MATCH;
  *address = device->address();
  *cpu_id = 0;  // the NIC hangs off the first NUMA node
  return GNI_RC_SUCCESS;
}
