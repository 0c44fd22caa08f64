// GNI_Ce*, GNI_EpSetCeAttr: the collective engine, which a Gemini does not have.
#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/says_once.h"

namespace {

/// What a Gemini answers; of an Aries the engine is not modelled.
gni_return_t no_engine(const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  const nic::Nic* nic = caller.is_rank() ? nic::Nic::of(caller.thread().node()) : nullptr;
  if (nic == nullptr || !nic->is_aries()) return GNI_RC_ILLEGAL_OP;
  return gni::not_available(caller, "the collective engine of an Aries is not modelled",
                            GNI_RC_ILLEGAL_OP, function);
}

}  // namespace

gni_return_t GNI_CeCreate(gni_nic_handle_t, gni_ce_handle_t*) { return no_engine(); }
gni_return_t GNI_CeGetId(gni_ce_handle_t, uint32_t*) { return no_engine(); }
gni_return_t GNI_EpSetCeAttr(gni_ep_handle_t, uint32_t, uint32_t, gni_ce_child_t) {
  return no_engine();
}
gni_return_t GNI_CeConfigure(gni_ce_handle_t, gni_ep_handle_t*, uint32_t, gni_ep_handle_t,
                             gni_cq_handle_t, uint32_t) {
  return no_engine();
}
gni_return_t GNI_CeCheckResult(gni_ce_result_t*, uint32_t) { return no_engine(); }
gni_return_t GNI_CeDestroy(gni_ce_handle_t) { return no_engine(); }

// No result was ever written.
uint64_t gni_ce_res_get_status(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_status_ok(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_get_fpe(gni_ce_result_t*) { return 0; }
uint64_t gni_ce_res_get_red_id(gni_ce_result_t*) { return 0; }
