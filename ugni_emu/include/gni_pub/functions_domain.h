/* uGNI functions: communication domains, endpoints, datagrams. Part of gni_pub.h. */
#pragma once

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Communication domain and NIC ---- */

/* Make a communication domain. inst_id names this CDM inside the job; (ptag,cookie) is the
 * protection domain: only CDMs with the same pair may talk. No NIC touched yet. ptag may be
 * GNI_FIND_ALLOC_PTAG. A process may make many CDMs. Unless modes has GNI_CDM_MODE_ERR_NO_KILL,
 * the first entry with a transaction error that the process takes from a queue ends its job.
 * Returns SUCCESS, INVALID_PARAM, ERROR_NOMEM. */
gni_return_t GNI_CdmCreate(uint32_t inst_id, uint8_t ptag, uint32_t cookie, uint32_t modes,
                           gni_cdm_handle_t* cdm_hndl);

/* Bind the CDM to NIC device_id ((uint32_t)-1 = nearest) and return the NIC handle plus this
 * NIC's PE address. Same CDM on the same device twice gives INVALID_STATE.
 * Several CDMs on one NIC are legal and all report the same PE address. Returns
 * SUCCESS, INVALID_PARAM, NO_MATCH, ERROR_RESOURCE, ERROR_NOMEM, PERMISSION_ERROR,
 * INVALID_STATE, NOT_DONE. */
gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm_hndl, uint32_t device_id, uint32_t* local_addr,
                           gni_nic_handle_t* nic_hndl);

/* Tear the domain down with its NIC attachments. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm_hndl);

/* PE address of device device_id and the id of the nearest CPU, without any CDM.
 * Must equal what GNI_CdmAttach later reports. Returns SUCCESS, NO_MATCH. */
gni_return_t GNI_CdmGetNicAddress(uint32_t device_id, uint32_t* address, uint32_t* cpu_id);

/* ---- Endpoints ---- */

/* New unbound endpoint. src_cq_hndl is the default CQ for locally initiated work; NULL is
 * accepted for EPs used only for datagrams. Unbound EPs can only exchange datagrams. Returns
 * SUCCESS, INVALID_PARAM, ERROR_NOMEM. */
gni_return_t GNI_EpCreate(gni_nic_handle_t nic_hndl, gni_cq_handle_t src_cq_hndl,
                          gni_ep_handle_t* ep_hndl);

/* Replace the default event words: local_event is what LOCAL events carry; remote_event is what
 * GLOBAL and REMOTE events carry. Defaults: local = the EP's bound remote_id, remote = the
 * initiator CDM's inst_id. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep_hndl, uint32_t local_event,
                                uint32_t remote_event);

/* Aim the EP at (remote_addr = PE address, remote_id = peer CDM inst_id). Needed before
 * RMA/SMSG. Purely local: does not contact the peer, and the peer may not exist yet. Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM. */
gni_return_t GNI_EpBind(gni_ep_handle_t ep_hndl, uint32_t remote_addr, uint32_t remote_id);

/* Back to unbound; drops SMSG state. Later EpBind to another peer is legal. Returns SUCCESS,
 * INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_EpUnbind(gni_ep_handle_t ep_hndl);

/* Would EpUnbind succeed now? Destroys nothing. Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_EpIdle(gni_ep_handle_t ep_hndl);

/* Free the endpoint. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_EpDestroy(gni_ep_handle_t ep_hndl);

/* ---- Datagrams ---- */

/* Queue one datagram exchange: send in_data, receive the peer's datagram in out_buf. Both sides
 * must post; either order. A second one outstanding on the same EP gives ERROR_RESOURCE. Larger
 * than GNI_DATAGRAM_MAXSIZE (128) gives SIZE_ERROR. Input bytes are copied at the call. Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM, SIZE_ERROR. */
gni_return_t GNI_EpPostData(gni_ep_handle_t ep_hndl, void* in_data, uint16_t data_len,
                            void* out_buf, uint16_t buf_size);

/* Same with a caller id (all-ones id gives INVALID_PARAM). On an UNBOUND EP this is a wildcard
 * that matches the first bound peer that posts to us. The one-outstanding rule applies to bound
 * EPs. Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM, SIZE_ERROR. */
gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep_hndl, void* in_data, uint16_t data_len,
                               void* out_buf, uint16_t buf_size, uint64_t datagram_id);

/* State of the exchange posted without id. SUCCESS means *post_state was written (also for
 * PENDING); peer address/id valid only for COMPLETED. A terminal state is reported once and
 * then the exchange is gone (next call NO_MATCH). SIZE_ERROR if the arrived datagram exceeds
 * buf_size. Returns SUCCESS, INVALID_PARAM, NO_MATCH, SIZE_ERROR, ERROR_NOMEM. */
gni_return_t GNI_EpPostDataTest(gni_ep_handle_t ep_hndl, gni_post_state_t* post_state,
                                uint32_t* remote_addr, uint32_t* remote_id);

/* Same by id. For a wildcard the returned addr/id are how the receiver learns which peer connected.
 * Returns SUCCESS, INVALID_PARAM, NO_MATCH, SIZE_ERROR, ERROR_NOMEM. */
gni_return_t GNI_EpPostDataTestById(gni_ep_handle_t ep_hndl, uint64_t datagram_id,
                                    gni_post_state_t* post_state, uint32_t* remote_addr,
                                    uint32_t* remote_id);

/* Blocking form; timeout in ms, (uint32_t)-1 = forever, 0 gives INVALID_PARAM. Returns SUCCESS,
 * INVALID_PARAM, TIMEOUT, SIZE_ERROR, NO_MATCH, ERROR_NOMEM. */
gni_return_t GNI_EpPostDataWait(gni_ep_handle_t ep_hndl, uint32_t timeout,
                                gni_post_state_t* post_state, uint32_t* remote_addr,
                                uint32_t* remote_id);

/* Blocking form by id. Note argument order: id before timeout. Returns SUCCESS, INVALID_PARAM,
 * TIMEOUT, SIZE_ERROR, NO_MATCH, ERROR_NOMEM. */
gni_return_t GNI_EpPostDataWaitById(gni_ep_handle_t ep_hndl, uint64_t datagram_id, uint32_t timeout,
                                    gni_post_state_t* post_state, uint32_t* remote_addr,
                                    uint32_t* remote_id);

/* Address/id of the first finished (completed, timed out, cancelled) exchange of this NIC
 * handle that was posted without id. Does not consume. Returns SUCCESS, INVALID_PARAM,
 * NO_MATCH. */
gni_return_t GNI_PostDataProbe(gni_nic_handle_t nic_hndl, uint32_t* remote_addr,
                               uint32_t* remote_id);

/* Id of the first finished exchange that was posted with id. Does not consume: repeats until
 * Test/WaitById harvests it.  Returns SUCCESS, INVALID_PARAM,
 * NO_MATCH. */
gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic_hndl, uint64_t* datagram_id);

/* Blocking probe (note lower-case d in "Postdata"). Returns SUCCESS, INVALID_PARAM, TIMEOUT. */
gni_return_t GNI_PostdataProbeWaitById(gni_nic_handle_t nic_hndl, uint32_t timeout,
                                       uint64_t* datagram_id);

/* Cancel the exchange posted without id; it then shows up as GNI_POST_TERMINATED. One that the peer
 * has answered already stays GNI_POST_COMPLETED, and this returns SUCCESS, too, until Test or Wait
 * has taken it. Returns SUCCESS, INVALID_PARAM, NO_MATCH (there is none, or it has been cancelled).
 */
gni_return_t GNI_EpPostDataCancel(gni_ep_handle_t ep_hndl);

/* Cancel by id, as GNI_EpPostDataCancel; the id then appears in ProbeById, and its Test/Wait gives
 * GNI_POST_TERMINATED (or GNI_POST_COMPLETED). Returns SUCCESS, INVALID_PARAM, NO_MATCH. */
gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep_hndl, uint64_t datagram_id);

#ifdef __cplusplus
} /* extern "C" */
#endif
