// GNI_Get*: versions, devices, counters.
#include <cstdio>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/node_device.h"

gni_return_t GNI_GetVersion(uint32_t* version) {
  if (version == nullptr) return GNI_RC_INVALID_PARAM;
  *version = GNI_VERSION;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetVersionInformation(gni_version_info_t* version_info) {
  if (version_info == nullptr) return GNI_RC_INVALID_PARAM;
  *version_info = gni_version_info_t{};
  version_info->ugni_version = GNI_VERSION;
  version_info->kgni_version = GNI_VERSION;
  std::snprintf(version_info->ugni_build_string, MAX_BUILD_STRING_LENGTH, "Castor uGNI");
  std::snprintf(version_info->kgni_build_string, MAX_BUILD_STRING_LENGTH, "Castor Gemini");
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetNumLocalDevices(int* num_devices) {
  gni::Caller caller;
  if (num_devices == nullptr) return GNI_RC_INVALID_PARAM;
  if (!caller.is_rank()) return GNI_RC_ERROR_RESOURCE;
  *num_devices = nic::Nic::of(caller.thread().node()) != nullptr ? 1 : 0;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetLocalDeviceIds(int len, int* device_ids) {
  int count = 0;
  if (len <= 0 || device_ids == nullptr) return GNI_RC_INVALID_PARAM;
  const gni_return_t result = GNI_GetNumLocalDevices(&count);
  if (result != GNI_RC_SUCCESS) return result;
  for (int i = 0; i < count && i < len; ++i) device_ids[i] = i;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetDeviceType(gni_nic_device_t* dev_type) {
  if (dev_type == nullptr) return GNI_RC_ERROR_RESOURCE;  // the only error this function has
  *dev_type = GNI_DEVICE_GEMINI;
  return GNI_RC_SUCCESS;
}

// A Gemini has no collective engine, and that is all that can be said: nothing else is a device's
// or a job's here. Each domain has 4,096 registrations of its own, and whatever else it wants.
gni_return_t GNI_GetDevResInfo(uint32_t device_id, gni_dev_res_t res_type,
                               gni_dev_res_desc_t* res_desc) {
  const gni::Caller caller;
  if (res_desc == nullptr || !gni::is_local_device(device_id) || !gni_dev_res_valid(res_type)) {
    return GNI_RC_INVALID_PARAM;
  }
  if (!caller.is_rank() || res_type != GNI_DEV_RES_CE) return GNI_RC_ERROR_RESOURCE;
  *res_desc = gni_dev_res_desc_t{};
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetJobResInfo(uint32_t device_id, uint8_t, gni_job_res_t res_type,
                               gni_job_res_desc_t* res_desc) {
  const gni::Caller caller;
  if (res_desc == nullptr || !gni::is_local_device(device_id) || !gni_job_res_valid(res_type)) {
    return GNI_RC_INVALID_PARAM;
  }
  if (!caller.is_rank() || res_type != GNI_JOB_RES_CE) return GNI_RC_ERROR_RESOURCE;
  *res_desc = gni_job_res_desc_t{};
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetPtag(uint32_t device_id, uint32_t cookie, uint8_t* ptag) {
  gni::Caller caller;
  if (ptag == nullptr || !gni::is_local_device(device_id)) return GNI_RC_INVALID_PARAM;
  if (!caller.is_rank()) return GNI_RC_ERROR_RESOURCE;
  return gni::find_ptag(caller, cookie, *ptag) ? GNI_RC_SUCCESS : GNI_RC_NO_MATCH;
}

gni_return_t GNI_GetNicStat(gni_nic_handle_t nic_hndl, gni_statistic_t stat, uint32_t* value) {
  gni::Caller caller;
  const nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || value == nullptr || static_cast<unsigned>(stat) >= GNI_NUM_STATS) {
    return GNI_RC_INVALID_PARAM;
  }
  *value = domain->counters[stat];
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_ResetNicStat(gni_nic_handle_t nic_hndl, gni_statistic_t stat) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || static_cast<unsigned>(stat) >= GNI_NUM_STATS) {
    return GNI_RC_INVALID_PARAM;
  }
  domain->counters[stat] = 0;
  return GNI_RC_SUCCESS;
}
