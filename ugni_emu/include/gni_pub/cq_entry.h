/* What a completion queue entry says: accessor functions and macros. Part of gni_pub.h. */
#pragma once

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GNI_CQ_EVENT_TYPE_POST 0x0ULL  /* a posted transaction, or data that arrived */
#define GNI_CQ_EVENT_TYPE_SMSG 0x1ULL  /* a short message */
#define GNI_CQ_EVENT_TYPE_DMAPP 0x2ULL /* DMAPP's own */
#define GNI_CQ_EVENT_TYPE_MSGQ 0x3ULL  /* a message queue's */

uint64_t gni_cq_get_data(gni_cq_entry_t entry);        /* 48 bits: the value of a CQ write */
uint64_t gni_cq_get_source(gni_cq_entry_t entry);      /* 0 = local event, 1 = remote event */
uint64_t gni_cq_get_status(gni_cq_entry_t entry);      /* 0 = success */
uint64_t gni_cq_get_info(gni_cq_entry_t entry);        /* why the status is what it is */
uint64_t gni_cq_overrun(gni_cq_entry_t entry);         /* 1 = events of this queue were lost */
uint64_t gni_cq_rem_overrun(gni_cq_entry_t entry);     /* 1 = the target's queue lost an event */
uint64_t gni_cq_get_inst_id(gni_cq_entry_t entry);     /* 32-bit event word */
uint64_t gni_cq_get_rem_inst_id(gni_cq_entry_t entry); /* the same, of a remote event */
uint64_t gni_cq_get_tid(gni_cq_entry_t entry);         /* transaction id, to print */
uint64_t gni_cq_get_msg_id(gni_cq_entry_t entry);      /* msg_id of a message that was sent */
uint64_t gni_cq_get_type(gni_cq_entry_t entry);        /* GNI_CQ_EVENT_TYPE_* */
uint64_t gni_cq_get_block_id(gni_cq_entry_t entry);    /* from here on: Aries, 0 on Gemini */
uint64_t gni_cq_get_unsuccessful_cnt(gni_cq_entry_t entry);
uint64_t gni_cq_get_marker_id(gni_cq_entry_t entry);
uint64_t gni_cq_get_failed_enqueue_cnt(gni_cq_entry_t entry);
uint64_t gni_cq_get_ce_id(gni_cq_entry_t entry); /* of a collective engine's events */
uint64_t gni_cq_get_reductn_id(gni_cq_entry_t entry);
uint64_t gni_cq_get_trans_type(gni_cq_entry_t entry);
void gni_cq_set_inst_id(gni_cq_entry_t* entry, uint64_t value);
void gni_cq_set_rem_inst_id(gni_cq_entry_t* entry, uint64_t value);
void gni_cq_set_tid(gni_cq_entry_t* entry, uint64_t value);
void gni_cq_set_msg_id(gni_cq_entry_t* entry, uint64_t value);
void gni_cq_set_type(gni_cq_entry_t* entry, uint64_t value);
void gni_cq_clr_status(gni_cq_entry_t* entry);
unsigned gni_cq_status_dla_overflow(gni_cq_entry_t entry);
unsigned gni_cq_bte_enq_status(gni_cq_entry_t entry);

#define GNI_CQ_GET_DATA gni_cq_get_data
#define GNI_CQ_GET_SOURCE gni_cq_get_source
#define GNI_CQ_GET_STATUS gni_cq_get_status
#define GNI_CQ_GET_INFO gni_cq_get_info
#define GNI_CQ_OVERRUN gni_cq_overrun
#define GNI_CQ_REM_OVERRUN gni_cq_rem_overrun
#define GNI_CQ_GET_INST_ID gni_cq_get_inst_id
#define GNI_CQ_GET_REM_INST_ID gni_cq_get_rem_inst_id
#define GNI_CQ_GET_TID gni_cq_get_tid
#define GNI_CQ_GET_MSG_ID gni_cq_get_msg_id
#define GNI_CQ_GET_TYPE gni_cq_get_type
#define GNI_CQ_GET_BLOCK_ID gni_cq_get_block_id
#define GNI_CQ_GET_UNSUCCESSFUL_CNT gni_cq_get_unsuccessful_cnt
#define GNI_CQ_GET_MARKER_ID gni_cq_get_marker_id
#define GNI_CQ_GET_FAILED_ENQUEUE_CNT gni_cq_get_failed_enqueue_cnt
#define GNI_CQ_GET_CE_ID gni_cq_get_ce_id
#define GNI_CQ_GET_REDUCTN_ID gni_cq_get_reductn_id
#define GNI_CQ_GET_TRANS_TYPE gni_cq_get_trans_type
#define GNI_CQ_SET_INST_ID(entry, value) gni_cq_set_inst_id(&(entry), value)
#define GNI_CQ_SET_REM_INST_ID(entry, value) gni_cq_set_rem_inst_id(&(entry), value)
#define GNI_CQ_SET_TID(entry, value) gni_cq_set_tid(&(entry), value)
#define GNI_CQ_SET_MSG_ID(entry, value) gni_cq_set_msg_id(&(entry), value)
#define GNI_CQ_SET_TYPE(entry, value) gni_cq_set_type(&(entry), value)
#define GNI_CQ_CLR_STATUS(entry) gni_cq_clr_status(&(entry))
#define GNI_CQ_STATUS_OK(entry) (gni_cq_get_status(entry) == 0)
#define GNI_CQ_STATUS_DLA_OVERFLOW(entry) gni_cq_status_dla_overflow(entry)
#define GNI_CQ_BTE_ENQ_STATUS(entry) gni_cq_bte_enq_status(entry)

#ifdef __cplusplus
} /* extern "C" */
#endif
