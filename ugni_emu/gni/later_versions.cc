// What versions 0x60 and 0x61 have added: holding a domain, capabilities, datagram queues.
#include <algorithm>
#include <array>
#include <iterator>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/node_device.h"
#include "ugni_emu/gni/says_once.h"

// A tag and cookie are the job's for as long as it runs, so that nothing has to be kept: the
// descriptor stands for the hold, and no more.
gni_return_t GNI_CdmHold(uint8_t ptag, uint32_t, int* nic_fd) try {
  gni::Caller caller;
  if (!caller.is_rank() || ptag == 0 || nic_fd == nullptr) return GNI_RC_INVALID_PARAM;
  *nic_fd = caller.objects().hold();
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_CdmRelease(int nic_fd) {
  gni::Caller caller;
  if (!caller.is_rank()) return GNI_RC_INVALID_PARAM;
  return caller.objects().release(nic_fd) ? GNI_RC_SUCCESS : GNI_RC_INVALID_PARAM;
}

gni_return_t GNI_ConfigureJobFd(uint32_t device_id, uint64_t, uint8_t ptag, uint32_t,
                                gni_job_limits_t*, int* nic_fd) {
  gni::Caller caller;
  if (!caller.is_rank() || !gni::is_local_device(device_id) || ptag == 0 || nic_fd == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  return gni::not_available(caller, "aprun sets jobs up", GNI_RC_PERMISSION_ERROR);
}

gni_return_t GNI_GetCapabilities(gni_revision_info_t* revision_info) {
  gni::Caller caller;
  if (revision_info == nullptr) return GNI_RC_INVALID_PARAM;
  if (!caller.is_rank()) return GNI_RC_ERROR_RESOURCE;
  *revision_info = gni_revision_info_t{};
  revision_info->nid = caller.thread().node().nid();
  revision_info->user_major_revision = revision_info->driver_major_revision = GNI_MAJOR_REV;
  revision_info->user_minor_revision = revision_info->driver_minor_revision = GNI_MINOR_REV;
  revision_info->user_code_revision = revision_info->driver_code_revision = GNI_CODE_REV;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_ValidateCapabilities(gni_revision_info_t first, gni_revision_info_t second) {
  const auto has = [](const gni_revision_info_t& required, const gni_revision_info_t& peer) {
    return std::equal(std::begin(required.requirement), std::end(required.requirement),
                      std::begin(peer.capabilities),
                      [](std::uint64_t all, std::uint64_t set) { return (all & ~set) == 0; });
  };
  return has(first, second) && has(second, first) ? GNI_RC_SUCCESS : GNI_RC_INVALID_STATE;
}

gni_return_t GNI_SetDeviceOrbMMR(gni_nic_handle_t nic_hndl, gni_dev_orb_mmr_t orb_mmr, uint64_t,
                                 uint64_t* old_value) {
  gni::Caller caller;
  const nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || !gni_dev_orb_mmr_valid(orb_mmr) || old_value == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  if (!domain->nic().is_aries()) return GNI_RC_ILLEGAL_OP;
  return gni::not_available(caller, "the register is not modelled", GNI_RC_PERMISSION_ERROR);
}

namespace {

gni_return_t no_datagram_queues(const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  return gni::not_available(caller, "shared message queues (GNI_Msgq) are", GNI_RC_ILLEGAL_OP,
                            function);
}

}  // namespace

gni_return_t GNI_DqueueInit(gni_nic_handle_t, gni_dqueue_in_attr_t*, gni_dqueue_out_attr_t*,
                            gni_dqueue_handle_t*) {
  return no_datagram_queues();
}
gni_return_t GNI_DqueueFini(gni_dqueue_handle_t) { return no_datagram_queues(); }
gni_return_t GNI_DqueueConnect(gni_dqueue_handle_t, gni_dqueue_out_attr_t*, uint32_t) {
  return no_datagram_queues();
}
gni_return_t GNI_DqueuePut(gni_dqueue_handle_t, void*, uint32_t, uint32_t, uint32_t) {
  return no_datagram_queues();
}
gni_return_t GNI_DqueueProgress(gni_dqueue_handle_t) { return no_datagram_queues(); }
