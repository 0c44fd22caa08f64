/* uGNI functions: memory registration, completion queues, channels. Part of gni_pub.h. */
#pragma once

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory registration ---- */

/* Register [address,length). Any alignment; the real hardware registers whole pages. length 0
 * gives INVALID_PARAM. dst_cq_hndl (may be NULL) receives REMOTE events for data landing in
 * this region - it is also the receive CQ of SMSG mailboxes and the target of CQ writes.
 * vmdh_index (uint32_t)-1 unless USE_VMDH. READWRITE on read-only pages gives PERMISSION_ERROR.
 * The pages are looked at here and not pinned: where the real NIC goes on using what has been
 * unmapped or made read-only since, data that arrive there are a crash of the rank's.
 * On failure *mem_hndl is untouched. Remote addressing is by virtual address, anywhere inside
 * the region. Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM, PERMISSION_ERROR. */
gni_return_t GNI_MemRegister(gni_nic_handle_t nic_hndl, uint64_t address, uint64_t length,
                             gni_cq_handle_t dst_cq_hndl, uint32_t flags, uint32_t vmdh_index,
                             gni_mem_handle_t* mem_hndl);

/* Register a list of segments as one region; afterwards peers address it by OFFSET from 0 into
 * the concatenation, each segment padded to page/MRT granularity, not by virtual address. A
 * zero-length segment gives INVALID_PARAM. One segment must use MemRegister. An FMA PUT source
 * cannot use the offset form (each segment is sent separately by virtual address). Returns
 * SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM, PERMISSION_ERROR. */
gni_return_t GNI_MemRegisterSegments(gni_nic_handle_t nic_hndl, gni_mem_segment_t* mem_segments,
                                     uint32_t segments_cnt, gni_cq_handle_t dst_cq_hndl,
                                     uint32_t flags, uint32_t vmdh_index,
                                     gni_mem_handle_t* mem_hndl);

/* Reserve num_entries vMDH slots for GNI_MEM_USE_VMDH registrations. Returns SUCCESS,
 * INVALID_PARAM, ERROR_NOMEM. */
gni_return_t GNI_SetMddResources(gni_nic_handle_t nic_hndl, uint32_t num_entries);

/* Drop a registration. Data and handle struct contents unchanged. Returns SUCCESS,
 * INVALID_PARAM. */
gni_return_t GNI_MemDeregister(gni_nic_handle_t nic_hndl, gni_mem_handle_t* mem_hndl);

/* *yesno = 1/0 for one attribute of the handle; also validates the handle. Returns SUCCESS,
 * INVALID_PARAM. */
gni_return_t GNI_MemHndlQueryAttr(gni_mem_handle_t* mem_hndl, gni_mem_handle_attr_t attr,
                                  int* yesno);

/* Copy a handle with another vMDH index so that symmetric layouts need no exchange. Returns
 * SUCCESS, INVALID_PARAM, INVALID_STATE. */
gni_return_t GNI_RebuildMemHndl(gni_mem_handle_t* src_mem_hndl, uint32_t vmdh_index,
                                gni_mem_handle_t* dst_mem_hndl);

/* Iterator over registrations of a NIC handle (or of a raw fd); pass a zeroed handle to start;
 * NO_MATCH at the end. Returns SUCCESS, INVALID_PARAM, NO_MATCH, INVALID_STATE. */
gni_return_t GNI_MemQueryHndls(gni_nic_handle_t nic_hndl, int fd, gni_mem_handle_t* mem_hndl,
                               uint64_t* address, uint64_t* length);

/* ---- Completion queues and channels ---- */

/* CQ with at least entry_count slots. mode GNI_CQ_NOBLOCK or GNI_CQ_BLOCKING (plus modifiers).
 * delay_count = events per interrupt, blocking mode only. handler, if given, runs once per entry,
 * no later than the Get/Wait that returns it. A CQ serves either local or remote events, not both.
 * Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM. */
gni_return_t GNI_CqCreate(gni_nic_handle_t nic_hndl, uint32_t entry_count, uint32_t delay_count,
                          gni_cq_mode_t mode, void (*handler)(gni_cq_entry_t*, void*),
                          void* context, gni_cq_handle_t* cq_hndl);

/* Free it; ERROR_RESOURCE while endpoints still refer to it. Returns SUCCESS, INVALID_PARAM,
 * ERROR_RESOURCE. */
gni_return_t GNI_CqDestroy(gni_cq_handle_t cq_hndl);

/* Non-blocking pop. ERROR_RESOURCE = overrun, events may be lost (the entry is written and
 * GNI_CQ_OVERRUN(entry) is true). TRANSACTION_ERROR = entry carries an error status; entry is
 * valid, follow with GetCompleted/CqErrorStr. Returns SUCCESS, NOT_DONE, INVALID_PARAM,
 * ERROR_RESOURCE, TRANSACTION_ERROR. */
gni_return_t GNI_CqGetEvent(gni_cq_handle_t cq_hndl, gni_cq_entry_t* event_data);

/* Blocking pop, ms, (uint64_t)-1 = forever. ERROR_RESOURCE if the CQ was not created BLOCKING.
 * Returns SUCCESS, TIMEOUT, INVALID_PARAM, ERROR_RESOURCE, TRANSACTION_ERROR. */
gni_return_t GNI_CqWaitEvent(gni_cq_handle_t cq_hndl, uint64_t timeout, gni_cq_entry_t* event_data);

/* Wait on several blocking CQs, pop from the first ready one, *which = its index. NOT_DONE if
 * interrupt-masked. Returns SUCCESS, TIMEOUT, NOT_DONE, INVALID_PARAM, ERROR_RESOURCE,
 * TRANSACTION_ERROR, ERROR_NOMEM. */
gni_return_t GNI_CqVectorWaitEvent(gni_cq_handle_t* cq_hndls, uint32_t num_cqs, uint64_t timeout,
                                   gni_cq_entry_t* event_data, uint32_t* which);

/* As above but does NOT consume; tells which CQ is ready. Returns SUCCESS, TIMEOUT, NOT_DONE,
 * INVALID_PARAM, ERROR_RESOURCE, ERROR_NOMEM. */
gni_return_t GNI_CqVectorMonitor(gni_cq_handle_t* cq_hndls, uint32_t num_cqs, uint64_t timeout,
                                 uint32_t* which);

/* Increment the CQ's interrupt mask; waiters then get NOT_DONE. INVALID_PARAM if not BLOCKING.
 * Returns SUCCESS, ERROR_RESOURCE, NOT_DONE, INVALID_PARAM. */
gni_return_t GNI_CqInterruptMask(gni_cq_handle_t cq_hndl);

/* Decrement it. Returns SUCCESS, ERROR_RESOURCE, NOT_DONE, INVALID_PARAM. */
gni_return_t GNI_CqInterruptUnmask(gni_cq_handle_t cq_hndl);

/* Peek: SUCCESS if an entry is ready, ERROR_RESOURCE if overrun. No processing. Returns
 * SUCCESS, NOT_DONE, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_CqTestEvent(gni_cq_handle_t cq_hndl);

/* Text for the error status in an entry; SIZE_ERROR if len too small. Returns SUCCESS,
 * INVALID_PARAM, SIZE_ERROR. */
gni_return_t GNI_CqErrorStr(gni_cq_entry_t entry, void* buffer, uint32_t len);

/* *recoverable = 1/0 for the entry's error. Returns SUCCESS, INVALID_PARAM, INVALID_STATE. */
gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t entry, uint32_t* recoverable);

/* Completion channel = pollable fd for CQs. ERROR_NOMEM: no descriptor is left. Returns SUCCESS,
 * INVALID_PARAM, ERROR_NOMEM. */
gni_return_t GNI_CompChanCreate(gni_nic_handle_t nic_hndl, gni_comp_chan_handle_t* chan_hndl);

/* Destroy it, close its fd and detach its CQs; a thread blocked in GetEvent returns with
 * INVALID_PARAM, one that polls the fd returns. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_CompChanDestroy(gni_comp_chan_handle_t chan_hndl);

/* The fd, for poll/epoll/select: readable while there are channel events. Caller may set
 * O_NONBLOCK on it; only GetEvent reads it. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_CompChanFd(gni_comp_chan_handle_t chan_hndl, int* comp_chan_fd);

/* Next channel event: the armed CQ that got an entry. Blocks by default; with O_NONBLOCK on the
 * fd returns NOT_DONE when empty. NOT_DONE also if that CQ has been destroyed. Returns SUCCESS,
 * INVALID_PARAM, NOT_DONE. */
gni_return_t GNI_CompChanGetEvent(gni_comp_chan_handle_t chan_hndl, gni_cq_handle_t* cq_hndl);

/* Associate a CQ with a channel of the same NIC handle: INVALID_PARAM unless it is BLOCKING, or if
 * it has another channel. Returns SUCCESS, INVALID_PARAM. */
gni_return_t GNI_CqAttachCompChan(gni_cq_handle_t cq_hndl, gni_comp_chan_handle_t chan_hndl);

/* Arm attached CQs for ONE channel event each; re-arm every time. An entry that is there counts. A
 * masked CQ tells when it is unmasked. INVALID_PARAM (one is not attached): none is armed. Returns
 * SUCCESS, INVALID_PARAM, ERROR_NOMEM. */
gni_return_t GNI_CqArmCompChan(gni_cq_handle_t* cq_hndls, uint32_t num_cqs);

#ifdef __cplusplus
} /* extern "C" */
#endif
