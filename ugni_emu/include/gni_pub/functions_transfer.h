/* uGNI functions: FMA, RDMA, CQ writes, short messages, message queues. Part of gni_pub.h. */
#pragma once

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- RDMA / FMA / AMO / CQ write ---- */

/* Queue a BTE transfer (RDMA_PUT / RDMA_GET). Both local_mem_hndl and remote_mem_hndl used.
 * Completion on src_cq_hndl of the descriptor if non-NULL else the EP's CQ. Descriptor and
 * buffer belong to the NIC until GetCompleted returns it. ERROR_RESOURCE = retry after polling.
 * Returns SUCCESS, INVALID_PARAM, ALIGNMENT_ERROR, ERROR_RESOURCE, ERROR_NOMEM,
 * PERMISSION_ERROR. */
gni_return_t GNI_PostRdma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr);

/* CPU-driven PUT / PUT_W_SYNCFLAG / GET / GET_W_FLAG / AMO / AMO_W_FLAG / CE. Zero length legal
 * only for PUT and PUT_W_SYNCFLAG, which then writes the flag alone. PUT reads the source before
 * returning on Gemini and needs no local registration; GET and fetching AMO need local_mem_hndl.
 * ERROR_RESOURCE = retry after polling. CE (Aries): ce_cmd, ce_mode, ce_red_id (32 bits, the same
 * at all participants), first_operand and second_operand go to the endpoint's engine, whose result
 * comes to the gni_ce_result_t at local_addr; length and the remote end are not used, and there is
 * no REMOTE_EVENT. Returns SUCCESS, INVALID_PARAM, ALIGNMENT_ERROR, ERROR_RESOURCE. */
gni_return_t GNI_PostFma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr);

/* Chained FMA: head is a normal descriptor whose next_descr points to
 * gni_ct_{put,get,amo}_post_descriptor nodes (NULL-terminated), all of one type (FMA_PUT,
 * FMA_GET or AMO, else INVALID_PARAM). type, dlvr_mode, cq_mode, post_id come from the head;
 * every later node carries its own ep_hndl (INVALID_PARAM if bad). ONE completion, on the head
 * EP's CQ. Sum of lengths <= 1 GiB (1 MiB in FMA_SHARED mode) else SIZE_ERROR. ORDERED_TAIL
 * gives INVALID_PARAM. Returns SUCCESS, INVALID_PARAM, SIZE_ERROR,
 * ALIGNMENT_ERROR, ERROR_RESOURCE. */
gni_return_t GNI_CtPostFma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr);

/* type CQWRITE: put cqwrite_value (low 48 bits) as a REMOTE event into the CQ tied to
 * remote_mem_hndl; no data moves. Sender event per cq_mode. Peer reads the value with
 * GNI_CQ_GET_DATA. Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_PostCqWrite(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr);

/* Chained CQ writes using gni_ct_cqw_post_descriptor nodes; one local completion. Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_CtPostCqWrite(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr);

/* Turn a POST-type entry into the very descriptor pointer that was posted. DESCRIPTOR_ERROR
 * with NULL if nothing matches, or with the descriptor if it failed; TRANSACTION_ERROR =
 * network error, descriptor returned. Returns SUCCESS, DESCRIPTOR_ERROR, INVALID_PARAM,
 * TRANSACTION_ERROR. */
gni_return_t GNI_GetCompleted(gni_cq_handle_t cq_hndl, gni_cq_entry_t event_data,
                              gni_post_descriptor_t** post_descr);

/* ---- Short messages ---- */

/* Bytes for one mailbox from msg_type, mbox_maxcredit, msg_maxsize (other fields ignored).
 * Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t* smsg_attr, unsigned int* size);

/* Pair local and remote mailbox attributes on a bound EP (INVALID_STATE if unbound). Called
 * independently on each side after exchanging attributes; neither side waits. The mailbox
 * address is msg_buffer + mbox_offset under mem_hndl. Returns
 * SUCCESS, INVALID_PARAM, INVALID_STATE, ERROR_NOMEM. */
gni_return_t GNI_SmsgInit(gni_ep_handle_t ep_hndl, gni_smsg_attr_t* local_smsg_attr,
                          gni_smsg_attr_t* remote_smsg_attr);

/* Send header+data concatenated. NOT_DONE = no mailbox/buffer credit, retry later. More than a slot
 * holds (msg_maxsize at least) gives ERROR_RESOURCE. Buffers stay intact until the local completion
 * (type SMSG) in auto-retransmit mode. Also raises a REMOTE event on the CQ of the peer's mailbox
 * registration. Returns SUCCESS, INVALID_PARAM, NOT_DONE, ERROR_RESOURCE. */
gni_return_t GNI_SmsgSend(gni_ep_handle_t ep_hndl, void* header, uint32_t header_length, void* data,
                          uint32_t data_length, uint32_t msg_id);

/* Same with an 8-bit tag; 0xFF is reserved as ANY. msg_id comes back through GNI_CQ_GET_MSG_ID
 * of the local SMSG completion. Returns SUCCESS, INVALID_PARAM, NOT_DONE, ERROR_RESOURCE. */
gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep_hndl, void* header, uint32_t header_length,
                              void* data, uint32_t data_length, uint32_t msg_id, uint8_t tag);

/* Pointer to next message (header start) inside the mailbox, in send order. The message stays
 * current until Release. Returns SUCCESS, INVALID_PARAM, NOT_DONE, INVALID_STATE. */
gni_return_t GNI_SmsgGetNext(gni_ep_handle_t ep_hndl, void** header);

/* *tag in: wanted tag or GNI_SMSG_ANY_TAG; out: actual tag. NO_MATCH if next message has
 * another tag (not consumed). Returns SUCCESS, INVALID_PARAM, NOT_DONE, NO_MATCH,
 * INVALID_STATE. */
gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep_hndl, void** header, uint8_t* tag);

/* Free the current message and return the credit to the sender (credits return without any call
 * by the sender). NOT_DONE if no current message. Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep_hndl);

/* NIC-wide retransmit limit (default 10). Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic_handle, uint16_t max_retrans);

/* NIC-wide routing hint: any valid GNI_DLVMODE bits. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_SmsgSetDeliveryMode(gni_nic_handle_t nic_handle, uint16_t dlvr_mode);

/* ---- Shared message queue ---- */

/* Shared (per node) message queue: one of each (ptag, cookie) on a node, with a private receive CQ
 * in each process. max_msg_sz is at most 128, smsg_q_sz (credits of a connection) 1 or even,
 * nloc_insts 1 to 128, rcv_cb not null: else INVALID_PARAM. INVALID_STATE: the local instances'
 * attributes differ, nloc_insts of them are there, or the NIC handle has a queue. snd_cq is in use
 * until the release. A message goes to its receiver's process at once, so rcv_pool_sz has no effect
 * but on the size. Returns SUCCESS, INVALID_PARAM, ERROR_NOMEM, INVALID_STATE, PERMISSION_ERROR. */
gni_return_t GNI_MsgqInit(gni_nic_handle_t nic_hndl, gni_msgq_rcv_cb_func* rcv_cb, void* cb_data,
                          gni_cq_handle_t snd_cq, gni_msgq_attr_t* attrs,
                          gni_msgq_handle_t* msgq_hndl);

/* Free it; NOT_DONE while messages of this process have no answer, or a thread is in Progress.
 * Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_MsgqRelease(gni_msgq_handle_t msgq_hndl);

/* Would Release succeed now? Returns SUCCESS, INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_MsgqIdle(gni_msgq_handle_t msgq_hndl);

/* Reserve connection resources towards a PE, for all instances of this node, and return the
 * attributes to trade, and how many bytes of them matter (attrs_size may be NULL). INVALID_STATE if
 * already reserved, or if not all nloc_insts are there yet; ERROR_RESOURCE beyond num_msgq_eps.
 * Returns SUCCESS, INVALID_PARAM, INVALID_STATE, ERROR_RESOURCE, PERMISSION_ERROR. */
gni_return_t GNI_MsgqGetConnAttrs(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr,
                                  gni_msgq_ep_attr_t* attrs, uint32_t* attrs_size);

/* Complete the connection with the peer's attributes. NO_MATCH: nothing is reserved;
 * INVALID_STATE: it is connected. Returns SUCCESS, INVALID_PARAM, NO_MATCH, INVALID_STATE,
 * PERMISSION_ERROR. */
gni_return_t GNI_MsgqConnect(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr,
                             gni_msgq_ep_attr_t* attrs);

/* Drop a connection; NOT_DONE while messages of this node to the PE have no answer. Returns
 * SUCCESS, INVALID_PARAM, NO_MATCH, NOT_DONE. */
gni_return_t GNI_MsgqConnRelease(gni_msgq_handle_t msgq_hndl, uint32_t pe_addr);

/* Send hdr+msg to the EP's bound instance; local event type MSGQ with msg_id. NOT_DONE: no credit
 * (they come back as the peer's Progress hands messages out, half of all at a time) or no room in
 * snd_cq; NO_MATCH: no connection to its PE, or no such instance there; INVALID_STATE: reserved,
 * not connected; SIZE_ERROR: longer than either side's max_msg_sz. Returns SUCCESS, INVALID_PARAM,
 * NO_MATCH, NOT_DONE, SIZE_ERROR, INVALID_STATE. */
gni_return_t GNI_MsgqSend(gni_msgq_handle_t msgq_hndl, gni_ep_handle_t ep_hndl, void* hdr,
                          uint32_t hdr_len, void* msg, uint32_t msg_len, uint32_t msg_id,
                          uint8_t msg_tag);

/* Drain received messages through the callback; callback returns non-zero to continue, 0 to
 * stop: NOT_DONE. Waits up to timeout ms for each message, (uint32_t)-1 = not at all, which a
 * queue without GNI_MSGQ_MODE_BLOCKING needs (else INVALID_PARAM); SUCCESS when none has come.
 * INVALID_STATE: another call is at it. Returns SUCCESS, INVALID_PARAM, NOT_DONE, ERROR_RESOURCE,
 * INVALID_STATE, ERROR_NOMEM. */
gni_return_t GNI_MsgqProgress(gni_msgq_handle_t msgq_hndl, uint32_t timeout);

/* Shared buffer size, a multiple of the huge page size. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_MsgqSize(gni_msgq_attr_t* attrs, uint32_t* size);

#ifdef __cplusplus
} /* extern "C" */
#endif
