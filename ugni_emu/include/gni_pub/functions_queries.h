/* uGNI functions: errors, queries, collective engine, privileged job control. Part of gni_pub.h. */
#pragma once

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Error events ---- */

/* Error-event queue (EEQ_size 0 = 64, at most 1,024; 64 queues a node: ERROR_RESOURCE) for the
 * failed transactions whose initiator is a process of this node, with the NIC handle's ptag; what
 * finds it full is dropped. NULL NIC: of all ptags; needs root, else INVALID_PARAM. mask = OR of
 * GNI_ERRMASK_*: ADDRESS_TRANSLATION (the memory handle names nothing, or the address lies
 * outside), TRANSIENT (lost on the network, also if a message is sent again), TRANSACTION (else).
 * An event's error_code is the entry's GNI_CQ_GET_STATUS, timestamp the clock in ns, serial_number
 * counts the node's since its first subscription, info_mmrs are: remote address, first word of the
 * remote handle, length, target PE << 32 | initiator's instance. Returns SUCCESS, INVALID_PARAM,
 * NO_MATCH, ERROR_RESOURCE, ERROR_NOMEM. */
gni_return_t GNI_SubscribeErrors(gni_nic_handle_t nic_handle, uint32_t device_id,
                                 gni_error_mask_t mask, uint32_t EEQ_size,
                                 gni_err_handle_t* err_handle);

/* Unsubscribe; NOT_DONE while a thread waits. Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_ReleaseErrors(gni_err_handle_t err_handle);

/* Read mask. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetErrorMask(gni_err_handle_t err_handle, gni_error_mask_t* mask);

/* Set mask, return the old one (mask_out may be NULL). Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_SetErrorMask(gni_err_handle_t err_handle, gni_error_mask_t mask_in,
                              gni_error_mask_t* mask_out);

/* Non-blocking pop. Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_GetErrorEvent(gni_err_handle_t err_handle, gni_error_event_t* event);

/* Block for the first event, then up to timeout ms for more, until events_size have come. A NIC
 * handle that goes ends it with INVALID_PARAM. Returns SUCCESS, INVALID_PARAM, NOT_DONE, TIMEOUT,
 * PERMISSION_ERROR. */
gni_return_t GNI_WaitErrorEvents(gni_err_handle_t err_handle, gni_error_event_t* events,
                                 uint32_t events_size, uint32_t timeout, uint32_t* num_events);

/* Events of this ptag (not 0) from now on: root's. Returns SUCCESS, INVALID_PARAM,
 * PERMISSION_ERROR. */
gni_return_t GNI_SetErrorPtag(gni_err_handle_t err_handle, uint8_t ptag);

/* ---- Queries and statistics ---- */

/* Number of NICs on the node (1). Returns SUCCESS, INVALID_PARAM,
 * ERROR_RESOURCE. */
gni_return_t GNI_GetNumLocalDevices(int* num_devices);

/* Fill up to len device ids (0,1,..). Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_GetLocalDeviceIds(int len, int* device_ids);

/* GNI_VERSION of the library. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetVersion(uint32_t* version);

/* uGNI/kGNI versions and build strings. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetVersionInformation(gni_version_info_t* version_info);

/* GNI_DEVICE_GEMINI or GNI_DEVICE_ARIES. Returns SUCCESS, ERROR_RESOURCE. */
gni_return_t GNI_GetDeviceType(gni_nic_device_t* dev_type);

/* Device totals for one resource; 0 of what the NIC does not have (a Gemini has no CE). Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_GetDevResInfo(uint32_t device_id, gni_dev_res_t res_type,
                               gni_dev_res_desc_t* res_desc);

/* Job use/limit for one resource. Registrations (MDD) are those of the node under this tag. Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_GetJobResInfo(uint32_t device_id, uint8_t ptag, gni_job_res_t res_type,
                               gni_job_res_desc_t* res_desc);

/* Root only. Returns SUCCESS, PERMISSION_ERROR, NOT_DONE, INVALID_PARAM, ILLEGAL_OP,
 * ERROR_RESOURCE. */
gni_return_t GNI_SetJobResInfo(uint32_t device_id, uint8_t ptag, gni_job_res_t res_type,
                               uint64_t res_value);

/* NTT granularity; 0/1 is fine. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetNttGran(uint32_t device_id, uint32_t* ntt_gran);

/* The protection tag under which the driver knows a cookie. Returns SUCCESS, INVALID_PARAM,
 * NO_MATCH, ERROR_RESOURCE. */
gni_return_t GNI_GetPtag(uint32_t device_id, uint32_t cookie, uint8_t* ptag);

/* One NIC counter. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetNicStat(gni_nic_handle_t nic_hndl, gni_statistic_t stat, uint32_t* value);

/* Zero it. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_ResetNicStat(gni_nic_handle_t nic_hndl, gni_statistic_t stat);

/* ---- Collective engines (Aries) ----
 *
 * A virtual collective engine (VCE) is a node of a reduction's tree. Its children are participants
 * (PE) and other engines (VCE). Each participant posts its operands with GNI_PostFma (GNI_POST_CE)
 * over an endpoint to its engine's node; the post ends when the engine has them. When all children
 * of an engine have contributed, their values go on to its parent. The engine without a parent has
 * the result, which comes back the same way into each participant's gni_ce_result_t. A child's
 * contributions belong to one reduction after the other; at most 64 may be under way in an engine.
 * Operands are combined in the order of the children's numbers.
 *
 * The family returns ILLEGAL_OP on a Gemini. */

/* Allocate an engine. Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE (the NIC has none left),
 * ERROR_NOMEM, ILLEGAL_OP. */
gni_return_t GNI_CeCreate(gni_nic_handle_t nic_hndl, gni_ce_handle_t* ce_hndl);

/* The engine's number on its NIC, at most 20 bits. Returns SUCCESS, INVALID_PARAM, ILLEGAL_OP. */
gni_return_t GNI_CeGetId(gni_ce_handle_t ce_hndl, uint32_t* ce_id);

/* Which edge of the tree an endpoint is; it has to be bound before it is used.
 *   for GNI_CeConfigure, to a participant:   (not used), its number among the engine's children, PE
 *   for GNI_CeConfigure, to a child engine:  its id, its number among the engine's children, VCE
 *   for GNI_CeConfigure, to the parent:      its id, the own engine's number there, VCE
 *   for GNI_PostFma, to a participant's engine:  its id, the own number there, PE
 * Numbers are below GNI_CE_MAX_CHILDREN. UNUSED: no edge any more. Returns SUCCESS, INVALID_PARAM,
 * ILLEGAL_OP. */
gni_return_t GNI_EpSetCeAttr(gni_ep_handle_t ep_hndl, uint32_t ce_id, uint32_t child_id,
                             gni_ce_child_t child_type);

/* Gives an engine its children, its parent (null: it is the root), a queue for its events, and
 * modes: of GNI_CE_MODE_ROUND_, _CQE_ and _RC_ one each at the most. _CQE_ONCOMP: an event for each
 * reduction that has ended; _CQE_ONERR: for what was refused, or could not be delivered. The queue
 * is one of local or of remote events; it may be null without _CQE_. What the endpoints say is
 * copied. Returns SUCCESS, INVALID_PARAM (also while a reduction is under way), ILLEGAL_OP. */
gni_return_t GNI_CeConfigure(gni_ce_handle_t ce_hndl, gni_ep_handle_t* child_eps,
                             uint32_t num_child_eps, gni_ep_handle_t parent_ep,
                             gni_cq_handle_t cq_hndl, uint32_t modes);

/* Whether the result of a post is there; GNI_PostFma clears result->control. TRANSACTION_ERROR:
 * GNI_CE_RES_STATUS_OK is 0 (there is no result), or GNI_CE_RES_GET_FPE tells of floating point
 * exceptions (there is one). Returns SUCCESS, INVALID_PARAM, NOT_DONE, TRANSACTION_ERROR,
 * ILLEGAL_OP. */
gni_return_t GNI_CeCheckResult(gni_ce_result_t* result, uint32_t length);

/* Free (GNI_CdmDestroy does so, too). Participants of reductions under way get a result that says
 * so, and no value. Returns SUCCESS, INVALID_PARAM, ILLEGAL_OP. */
gni_return_t GNI_CeDestroy(gni_ce_handle_t ce_hndl);

/* Privileged: declare (job_id, ptag, cookie) and limits before attach. limits may be NULL.
 * Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR,
 * NO_MATCH, INVALID_STATE, ILLEGAL_OP, ERROR_RESOURCE, ERROR_NOMEM. */
gni_return_t GNI_ConfigureJob(uint32_t device_id, uint64_t job_id, uint8_t ptag, uint32_t cookie,
                              gni_job_limits_t* limits);

/* Privileged node-translation-table set-up. Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR,
 * ERROR_RESOURCE, ERROR_NOMEM, NO_MATCH. */
gni_return_t GNI_ConfigureNTT(int device_id, gni_ntt_descriptor_t* ntt_desc, uint32_t* ntt_base);

/* Both of the above in one call. Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR,
 * ERROR_RESOURCE, ERROR_NOMEM, NO_MATCH, INVALID_STATE, ILLEGAL_OP. */
gni_return_t GNI_ConfigureNTTandJob(int device_id, uint64_t job_id, uint8_t ptag, uint32_t cookie,
                                    gni_job_limits_t* limits, gni_ntt_descriptor_t* ntt_desc,
                                    uint32_t* ntt_base);

/* Privileged job control. Returns SUCCESS, INVALID_PARAM, TIMEOUT, PERMISSION_ERROR, NOT_DONE,
 * INVALID_STATE, ERROR_RESOURCE. */
gni_return_t GNI_SuspendJob(uint32_t device_id, uint64_t job_id, uint8_t ptag, uint32_t cookie,
                            uint32_t timeout);

/* Privileged. Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR, INVALID_STATE. */
gni_return_t GNI_ResumeJob(uint32_t device_id, uint64_t job_id, uint8_t ptag, uint32_t cookie);

/* Balanced injection set (root). Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR. */
gni_return_t GNI_SetBIConfig(uint32_t device_id, uint16_t bw, uint16_t aot_bw, uint16_t modes);

/* Read it (system monitors use it). Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_GetBIConfig(uint32_t device_id, gni_bi_desc_t* desc);

/* Wait for the last update. Returns SUCCESS, INVALID_PARAM, TIMEOUT. */
gni_return_t GNI_BISyncWait(uint32_t device_id, uint32_t timeout);

#ifdef __cplusplus
} /* extern "C" */
#endif
