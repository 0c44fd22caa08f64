// uGNI functions that Castor does not have yet: each returns the documented code that fits best.
//
// They are here so that programs that mention them link: segment lists and
// vMDHs (to come), the collective engine (Aries only: ILLEGAL_OP), and privileged job control
// (PERMISSION_ERROR). Functions on a handle that no program can have obtained return INVALID_PARAM.
#include "ugni_emu/include/gni_pub.h"

// ---- Memory ----

gni_return_t GNI_MemRegisterSegments(gni_nic_handle_t, gni_mem_segment_t*, uint32_t,
                                     gni_cq_handle_t, uint32_t, uint32_t, gni_mem_handle_t*) {
  return GNI_RC_INVALID_PARAM;
}
gni_return_t GNI_SetMddResources(gni_nic_handle_t, uint32_t) { return GNI_RC_ERROR_NOMEM; }
gni_return_t GNI_RebuildMemHndl(gni_mem_handle_t*, uint32_t, gni_mem_handle_t*) {
  return GNI_RC_INVALID_STATE;
}
gni_return_t GNI_MemQueryHndls(gni_nic_handle_t, int, gni_mem_handle_t*, uint64_t*, uint64_t*) {
  return GNI_RC_INVALID_STATE;
}

// ---- Resources ----

gni_return_t GNI_GetNttGran(uint32_t, uint32_t*) { return GNI_RC_INVALID_PARAM; }

// ---- Collective engine ----

gni_return_t GNI_CeCreate(gni_nic_handle_t, gni_ce_handle_t*) { return GNI_RC_ILLEGAL_OP; }
gni_return_t GNI_CeGetId(gni_ce_handle_t, uint32_t*) { return GNI_RC_ILLEGAL_OP; }
gni_return_t GNI_EpSetCeAttr(gni_ep_handle_t, uint32_t, uint32_t, gni_ce_child_t) {
  return GNI_RC_ILLEGAL_OP;
}
gni_return_t GNI_CeConfigure(gni_ce_handle_t, gni_ep_handle_t*, uint32_t, gni_ep_handle_t,
                             gni_cq_handle_t, uint32_t) {
  return GNI_RC_ILLEGAL_OP;
}
gni_return_t GNI_CeCheckResult(gni_ce_result_t*, uint32_t) { return GNI_RC_ILLEGAL_OP; }
gni_return_t GNI_CeDestroy(gni_ce_handle_t) { return GNI_RC_ILLEGAL_OP; }
uint64_t gni_ce_res_get_status(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_status_ok(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_get_fpe(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_get_red_id(gni_ce_result_t*) { return 0; }

// ---- Job and system control ----

gni_return_t GNI_ConfigureJob(uint32_t, uint64_t, uint8_t, uint32_t, gni_job_limits_t*) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_ConfigureNTT(int, gni_ntt_descriptor_t*, uint32_t*) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_ConfigureNTTandJob(int, uint64_t, uint8_t, uint32_t, gni_job_limits_t*,
                                    gni_ntt_descriptor_t*, uint32_t*) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_SuspendJob(uint32_t, uint64_t, uint8_t, uint32_t, uint32_t) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_ResumeJob(uint32_t, uint64_t, uint8_t, uint32_t) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_SetBIConfig(uint32_t, uint16_t, uint16_t, uint16_t) {
  return GNI_RC_PERMISSION_ERROR;
}
gni_return_t GNI_GetBIConfig(uint32_t, gni_bi_desc_t*) { return GNI_RC_INVALID_PARAM; }
gni_return_t GNI_BISyncWait(uint32_t, uint32_t) { return GNI_RC_INVALID_PARAM; }
