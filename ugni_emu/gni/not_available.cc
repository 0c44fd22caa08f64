// uGNI functions that Castor does not have yet: each returns the documented code that fits best.
//
// They are here so that programs that mention them link: shared message queues. Functions on a
// handle that no program can have obtained return INVALID_PARAM.
#include "ugni_emu/include/gni_pub.h"

// ---- Shared message queues ----

gni_return_t GNI_MsgqInit(gni_nic_handle_t, gni_msgq_rcv_cb_func*, void*, gni_cq_handle_t,
                          gni_msgq_attr_t*, gni_msgq_handle_t*) {
  return GNI_RC_ERROR_NOMEM;
}
gni_return_t GNI_MsgqRelease(gni_msgq_handle_t) { return GNI_RC_INVALID_PARAM; }
gni_return_t GNI_MsgqIdle(gni_msgq_handle_t) { return GNI_RC_INVALID_PARAM; }
gni_return_t GNI_MsgqGetConnAttrs(gni_msgq_handle_t, uint32_t, gni_msgq_ep_attr_t*, uint32_t*) {
  return GNI_RC_INVALID_PARAM;
}
gni_return_t GNI_MsgqConnect(gni_msgq_handle_t, uint32_t, gni_msgq_ep_attr_t*) {
  return GNI_RC_INVALID_PARAM;
}
gni_return_t GNI_MsgqConnRelease(gni_msgq_handle_t, uint32_t) { return GNI_RC_INVALID_PARAM; }
gni_return_t GNI_MsgqSend(gni_msgq_handle_t, gni_ep_handle_t, void*, uint32_t, void*, uint32_t,
                          uint32_t, uint8_t) {
  return GNI_RC_INVALID_PARAM;
}
gni_return_t GNI_MsgqProgress(gni_msgq_handle_t, uint32_t) { return GNI_RC_INVALID_PARAM; }
gni_return_t GNI_MsgqSize(gni_msgq_attr_t*, uint32_t*) { return GNI_RC_INVALID_PARAM; }
