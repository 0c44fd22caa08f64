// GNI_Get*: versions, devices, counters.
#include <unistd.h>

#include <cstdio>

#include "corespec/job/job.h"
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
  const gni::Caller caller;
  // The only error that this function has.
  if (dev_type == nullptr || !caller.is_rank()) return GNI_RC_ERROR_RESOURCE;
  const nic::Nic* nic = nic::Nic::of(caller.thread().node());
  *dev_type = nic != nullptr && nic->is_aries() ? GNI_DEVICE_ARIES : GNI_DEVICE_GEMINI;
  return GNI_RC_SUCCESS;
}

namespace {

// Registrations by page (MRT entries) are not counted here, so that all are always free: the page
// tables of a Gemini hold this many.
constexpr std::uint64_t mrt_entries = 524288;

struct Amount {
  std::uint64_t used = 0;
  std::uint64_t limit = 0;  ///< of the job
  std::uint64_t total = 0;
};

Amount amount(nic::Nic& nic, nic::NodeResources::Kind kind) {
  const nic::NodeResources& resources = nic.resources();
  return {resources.used(kind), resources.limit(kind), resources.total(kind)};
}

Amount regions(const gni::Caller& caller, nic::Nic& nic, std::uint8_t ptag) {
  constexpr std::uint64_t count = nic::memory_handle::mdh_count;
  const nic::RegionTable* table = nic.find_regions({caller.process().job().cookie(), ptag});
  return {table == nullptr ? 0 : table->in_use(), count, count};
}

Amount vmdhs(const gni::Caller& caller, nic::Nic& nic) {
  constexpr std::uint64_t count = nic::memory_handle::mdh_count;
  const corespec::Job& job = caller.process().job();
  const nic::RegionTable* table = nic.find_regions({job.cookie(), job.ptag()});
  return {table == nullptr ? 0 : table->vmdhs(), count, count};
}

bool may_administer() { return geteuid() == 0; }

}  // namespace

gni_return_t GNI_GetDevResInfo(uint32_t device_id, gni_dev_res_t res_type,
                               gni_dev_res_desc_t* res_desc) {
  const gni::Caller caller;
  if (res_desc == nullptr || !gni::is_local_device(device_id) || !gni_dev_res_valid(res_type)) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::Nic* nic = caller.is_rank() ? nic::Nic::of(caller.thread().node()) : nullptr;
  if (nic == nullptr) return GNI_RC_ERROR_RESOURCE;
  Amount has;
  switch (res_type) {
    case GNI_DEV_RES_MDD:
      has = regions(caller, *nic, caller.process().job().ptag());
      break;
    case GNI_DEV_RES_MRT:
      has = {0, mrt_entries, mrt_entries};
      break;
    case GNI_DEV_RES_CQ:
      has = amount(*nic, nic::NodeResources::Kind::queues);
      break;
    case GNI_DEV_RES_FMA:
      has = amount(*nic, nic::NodeResources::Kind::fma_windows);
      break;
    case GNI_DEV_RES_VMDH:
      has = vmdhs(caller, *nic);
      break;
    case GNI_DEV_RES_CE:
      has = amount(*nic, nic::NodeResources::Kind::engines);
      break;
    default:  // a Gemini has none, and what else came with Aries is not counted
      break;
  }
  *res_desc = {has.total - has.used, 0, has.used, has.total};
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetJobResInfo(uint32_t device_id, uint8_t ptag, gni_job_res_t res_type,
                               gni_job_res_desc_t* res_desc) {
  const gni::Caller caller;
  if (res_desc == nullptr || !gni::is_local_device(device_id) || !gni_job_res_valid(res_type)) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::Nic* nic = caller.is_rank() ? nic::Nic::of(caller.thread().node()) : nullptr;
  if (nic == nullptr) return GNI_RC_ERROR_RESOURCE;
  Amount has;
  switch (res_type) {
    case GNI_JOB_RES_MDD:
    case GNI_JOB_RES_NONVMDH:
      has = regions(caller, *nic, ptag);
      break;
    case GNI_JOB_RES_MRT:
      has = {0, mrt_entries, mrt_entries};
      break;
    case GNI_JOB_RES_CQ:
      has = amount(*nic, nic::NodeResources::Kind::queues);
      break;
    case GNI_JOB_RES_FMA:
    case GNI_JOB_RES_SFMA:
      has = amount(*nic, nic::NodeResources::Kind::fma_windows);
      break;
    case GNI_JOB_RES_RDMA:
      has = {0, nic->bte().channels(), nic->bte().channels()};
      break;
    case GNI_JOB_RES_CE:
      has = amount(*nic, nic::NodeResources::Kind::engines);
      break;
    default:  // a Gemini has none: IOMMUs, GARTs; what else came with Aries is not counted
      break;
  }
  *res_desc = {has.used, has.limit};
  return GNI_RC_SUCCESS;
}

namespace {

/// What a job may have less of than the NIC has; false: all else is the hardware's.
bool limited_kind(gni_job_res_t type, const nic::Nic& nic, nic::NodeResources::Kind& kind) {
  switch (type) {
    case GNI_JOB_RES_CQ:
      kind = nic::NodeResources::Kind::queues;
      return true;
    case GNI_JOB_RES_FMA:
      kind = nic::NodeResources::Kind::fma_windows;
      return true;
    case GNI_JOB_RES_CE:
      kind = nic::NodeResources::Kind::engines;
      return nic.is_aries();
    default:
      return false;
  }
}

}  // namespace

// Root's. A job's queues, windows and engines may be fewer than the NIC's; all else is the
// hardware's.
gni_return_t GNI_SetJobResInfo(uint32_t device_id, uint8_t ptag, gni_job_res_t res_type,
                               uint64_t res_value) {
  const gni::Caller caller;
  if (ptag == 0 || !gni::is_local_device(device_id) || !gni_job_res_valid(res_type)) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::Nic* nic = caller.is_rank() ? nic::Nic::of(caller.thread().node()) : nullptr;
  if (nic == nullptr) return GNI_RC_ERROR_RESOURCE;
  if (!may_administer()) return GNI_RC_PERMISSION_ERROR;
  auto kind = nic::NodeResources::Kind::queues;
  if (!limited_kind(res_type, *nic, kind)) return GNI_RC_ILLEGAL_OP;
  if (res_value > nic->resources().total(kind)) return GNI_RC_INVALID_PARAM;
  if (res_value < nic->resources().used(kind)) return GNI_RC_NOT_DONE;
  nic->resources().set_limit(kind, static_cast<std::uint32_t>(res_value));
  return GNI_RC_SUCCESS;
}

// Node numbers are the NICs' addresses: the translation table is of single nodes and translates
// nothing.
gni_return_t GNI_GetNttGran(uint32_t device_id, uint32_t* ntt_gran) {
  const gni::Caller caller;
  if (ntt_gran == nullptr || !caller.is_rank() || !gni::is_local_device(device_id)) {
    return GNI_RC_INVALID_PARAM;
  }
  *ntt_gran = 1;
  return GNI_RC_SUCCESS;
}

// Injection is not throttled: all of the bandwidth, none of the outstanding requests held back.
gni_return_t GNI_GetBIConfig(uint32_t device_id, gni_bi_desc_t* desc) {
  const gni::Caller caller;
  if (desc == nullptr || !caller.is_rank() || !gni::is_local_device(device_id)) {
    return GNI_RC_INVALID_PARAM;
  }
  *desc = gni_bi_desc_t{};
  desc->current_bw = desc->sys_def_bw = GNI_BI_INJECT_BW_MAX;
  desc->current_aot_bw = desc->sys_def_aot_bw = GNI_BI_INJECT_BW_MAX;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_BISyncWait(uint32_t device_id, uint32_t) {
  const gni::Caller caller;
  if (!caller.is_rank() || !gni::is_local_device(device_id)) return GNI_RC_INVALID_PARAM;
  return GNI_RC_SUCCESS;  // there is no update to wait for
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
