// GNI_Configure*, GNI_SuspendJob, GNI_ResumeJob, GNI_SetBIConfig: what the system does with jobs.
// An ordinary user is refused these on the machine; here aprun has done all of it.
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/node_device.h"
#include "ugni_emu/gni/says_once.h"

namespace {

/// `valid`: the call's other arguments.
gni_return_t refused(std::uint32_t device_id, bool valid, const char* why,
                     const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  if (!caller.is_rank() || !gni::is_local_device(device_id) || !valid) {
    return GNI_RC_INVALID_PARAM;
  }
  return gni::not_available(caller, why, GNI_RC_PERMISSION_ERROR, function);
}

constexpr const char* of_the_launcher = "aprun sets jobs up";
constexpr const char* no_translation = "nodes have no numbers but their own";
constexpr const char* no_suspension = "a job is stopped and continued by signals to aprun";
constexpr const char* no_throttle = "injection is not throttled";

}  // namespace

gni_return_t GNI_ConfigureJob(uint32_t device_id, uint64_t, uint8_t ptag, uint32_t,
                              gni_job_limits_t*) {
  return refused(device_id, ptag != 0, of_the_launcher);
}
gni_return_t GNI_ConfigureNTT(int device_id, gni_ntt_descriptor_t*, uint32_t*) {
  return refused(static_cast<std::uint32_t>(device_id), true, no_translation);
}
gni_return_t GNI_ConfigureNTTandJob(int device_id, uint64_t, uint8_t ptag, uint32_t,
                                    gni_job_limits_t*, gni_ntt_descriptor_t*, uint32_t*) {
  return refused(static_cast<std::uint32_t>(device_id), ptag != 0, no_translation);
}
gni_return_t GNI_SuspendJob(uint32_t device_id, uint64_t, uint8_t ptag, uint32_t, uint32_t) {
  return refused(device_id, ptag != 0, no_suspension);
}
gni_return_t GNI_ResumeJob(uint32_t device_id, uint64_t, uint8_t ptag, uint32_t) {
  return refused(device_id, ptag != 0, no_suspension);
}
gni_return_t GNI_SetBIConfig(uint32_t device_id, uint16_t bw, uint16_t aot_bw, uint16_t) {
  const bool valid = bw <= GNI_BI_INJECT_BW_MAX && aot_bw <= GNI_BI_INJECT_BW_MAX;
  return refused(device_id, valid, no_throttle);
}
