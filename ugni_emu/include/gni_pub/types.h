/* uGNI types: handles, descriptors, attributes. Part of gni_pub.h; include that. */
#pragma once

#include <stdint.h>

#include "atomics.h"
#include "constants.h"
#include "devices.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Opaque handles: pointers, NULL where there is none ---- */

typedef struct gni_nic* gni_nic_handle_t;
typedef struct gni_cdm* gni_cdm_handle_t;
typedef struct gni_ep* gni_ep_handle_t;
typedef struct gni_cq* gni_cq_handle_t;
typedef struct gni_err* gni_err_handle_t;
typedef struct gni_msgq* gni_msgq_handle_t;
typedef struct gni_ce* gni_ce_handle_t;
typedef struct gni_comp_chan* gni_comp_chan_handle_t;

typedef uint32_t gni_cq_mode_t;
typedef uint64_t gni_cq_entry_t;
typedef uint8_t gni_error_mask_t;

/* Text of each gni_return_t: its name. */
extern const char* gni_err_str[];
/* Text of each gni_statistic_t. */
extern const char* gni_statistic_str[];

/* A registered region, as any process may hold it: no pointers, copied between processes as it is.
 */
typedef struct gni_mem_handle {
  uint64_t qword1;
  uint64_t qword2;
} gni_mem_handle_t;

typedef struct gni_mem_segment {
  uint64_t address;
  uint64_t length; /* bytes */
} gni_mem_segment_t;

typedef struct gni_error_event {
  uint16_t error_code;
  uint8_t error_category;
  uint8_t ptag;
  uint32_t serial_number;
  uint64_t timestamp;
  uint64_t info_mmrs[4];
} gni_error_event_t;

/* ---- Collective engine (Aries) ---- */

/* What a reduction does with the participants' operands. _S: of 32 bits (float), else of 64
 * (double); results of 32 bits have an upper half of 0. IADD, IMIN, IMAX: two's complement; FP:
 * IEEE, passed as raw bits. Minimum and maximum: the second operand is an index, and the result's
 * second word that of the value found, of equal values the lowest (LIDX) or the greatest (GIDX). A
 * NaN is both minimum and maximum, with GNI_CE_FPE_OP_INVAL. */
typedef enum gni_ce_cmd_type GNI_ENUM_INT {
  GNI_FMA_CE_AND_S = 0x0,
  GNI_FMA_CE_AND = 0x1,
  GNI_FMA_CE_OR_S = 0x2,
  GNI_FMA_CE_OR = 0x3,
  GNI_FMA_CE_XOR_S = 0x4,
  GNI_FMA_CE_XOR = 0x5,
  GNI_FMA_CE_IMIN_LIDX_S = 0x10,
  GNI_FMA_CE_IMIN_LIDX = 0x11,
  GNI_FMA_CE_IMAX_LIDX_S = 0x12,
  GNI_FMA_CE_IMAX_LIDX = 0x13,
  GNI_FMA_CE_IADD_S = 0x14,
  GNI_FMA_CE_IADD = 0x15,
  GNI_FMA_CE_FPMIN_LIDX_S = 0x18,
  GNI_FMA_CE_FPMIN_LIDX = 0x19,
  GNI_FMA_CE_FPMAX_LIDX_S = 0x1a,
  GNI_FMA_CE_FPMAX_LIDX = 0x1b,
  GNI_FMA_CE_FPADD_S = 0x1c,
  GNI_FMA_CE_FPADD = 0x1d,
  GNI_FMA_CE_IMIN_GIDX_S = 0x30,
  GNI_FMA_CE_IMIN_GIDX = 0x31,
  GNI_FMA_CE_IMAX_GIDX_S = 0x32,
  GNI_FMA_CE_IMAX_GIDX = 0x33,
  GNI_FMA_CE_FPMIN_GIDX_S = 0x38,
  GNI_FMA_CE_FPMIN_GIDX = 0x39,
  GNI_FMA_CE_FPMAX_GIDX_S = 0x3a,
  GNI_FMA_CE_FPMAX_GIDX = 0x3b
} gni_ce_cmd_type_t;

typedef enum gni_ce_child GNI_ENUM_INT {
  GNI_CE_CHILD_UNUSED = 0,
  GNI_CE_CHILD_VCE,
  GNI_CE_CHILD_PE
} gni_ce_child_t;

/* Written by the engine, aligned to 8 bytes at least, in registered memory; `control` is read with
 * GNI_CE_RES_. result2 is 0 where there is no second operand. */
typedef struct gni_ce_result {
  uint64_t control;
  uint64_t result1;
  uint64_t result2;
} gni_ce_result_t;

#define GNI_CE_MAX_CHILDREN 32
#define GNI_CE_FPE_OP_INVAL 0x1
#define GNI_CE_FPE_OFLOW 0x2
#define GNI_CE_FPE_UFLOW 0x4
#define GNI_CE_FPE_PRECISION 0x8
/* Modes of GNI_CeConfigure. None of ROUND: to nearest. None of CQE: no events. */
#define GNI_CE_MODE_ROUND_UP 0x0001
#define GNI_CE_MODE_ROUND_DOWN 0x0002
#define GNI_CE_MODE_ROUND_NEAR 0x0004
#define GNI_CE_MODE_ROUND_ZERO 0x0008
#define GNI_CE_MODE_CQE_ONCOMP 0x0010
#define GNI_CE_MODE_CQE_ONERR 0x0040
#define GNI_CE_MODE_RC_NMIN_HASH 0x0080
#define GNI_CE_MODE_RC_MIN_HASH 0x0100
#define GNI_CE_MODE_RC_MNON_HASH 0x0200
#define GNI_CE_MODE_RC_ADAPT 0x0400
/* ce_mode of a post. TWO_OP: AND, OR, XOR, IADD and FPADD of second_operand, too. FPE: these
 * operands come of a calculation that has met the exception. */
#define GNI_CEMODE_TWO_OP 0x01
#define GNI_CEMODE_FPE_OP_INVAL 0x02
#define GNI_CEMODE_FPE_OFLOW 0x04
#define GNI_CEMODE_FPE_UFLOW 0x08
#define GNI_CEMODE_FPE_PRECISION 0x10

uint64_t gni_ce_res_get_status(gni_ce_result_t* result);
uint64_t gni_ce_res_status_ok(gni_ce_result_t* result);
uint64_t gni_ce_res_get_fpe(gni_ce_result_t* result);
uint64_t gni_ce_res_get_red_id(gni_ce_result_t* result);
#define GNI_CE_RES_GET_STATUS gni_ce_res_get_status
#define GNI_CE_RES_STATUS_OK gni_ce_res_status_ok
#define GNI_CE_RES_GET_FPE gni_ce_res_get_fpe
#define GNI_CE_RES_GET_RED_ID gni_ce_res_get_red_id

/* ---- Descriptors ---- */

/*
 * What a post does. next_descr, prev_descr, status and cq_mode_complete are the library's while
 * the descriptor is posted (next_descr: the head of a chain in Ct calls); post_id is the user's.
 * Lengths in bytes; remote addresses are virtual addresses at the target.
 */
typedef struct gni_post_descriptor {
  void* next_descr;
  void* prev_descr;
  uint64_t post_id;
  uint64_t status;           /* a gni_return_t, set by GNI_GetCompleted */
  uint16_t cq_mode_complete; /* the event modes that have happened */
  gni_post_type_t type;
  uint16_t cq_mode;   /* GNI_CQMODE_* */
  uint16_t dlvr_mode; /* GNI_DLVMODE_* */
  uint64_t local_addr;
  gni_mem_handle_t local_mem_hndl;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t length;
  uint16_t rdma_mode;          /* GNI_RDMAMODE_* */
  gni_cq_handle_t src_cq_hndl; /* instead of the endpoint's queue, if not NULL */
  uint64_t sync_flag_value;
  uint64_t sync_flag_addr;
  gni_fma_cmd_type_t amo_cmd;
  uint64_t first_operand;
  uint64_t second_operand;
  uint64_t cqwrite_value; /* low 48 bits */
  gni_ce_cmd_type_t ce_cmd;
  uint32_t ce_mode;
  uint64_t ce_red_id;
} gni_post_descriptor_t;

typedef struct gni_ct_put_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  uint64_t length;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t local_addr;
} gni_ct_put_post_descriptor_t;

typedef struct gni_ct_get_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  uint64_t length;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t local_addr;
  gni_mem_handle_t local_mem_hndl;
} gni_ct_get_post_descriptor_t;

typedef struct gni_ct_amo_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  uint64_t length;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t local_addr;
  gni_mem_handle_t local_mem_hndl;
  gni_fma_cmd_type_t amo_cmd;
  uint64_t first_operand;
  uint64_t second_operand;
} gni_ct_amo_post_descriptor_t;

typedef struct gni_ct_cqw_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t cqwrite_value;
} gni_ct_cqw_post_descriptor_t;

typedef struct gni_ct_uni_post_descriptor {
  union {
    gni_ct_put_post_descriptor_t put;
    gni_ct_get_post_descriptor_t get;
    gni_ct_amo_post_descriptor_t amo;
    gni_ct_cqw_post_descriptor_t cqw;
  } u;
} gni_ct_uni_post_descriptor_t;

/* ---- Short messages and message queues ---- */

/* One side's receive box; sent raw to the peer, which passes it to GNI_SmsgInit. */
typedef struct gni_smsg_attr {
  gni_smsg_type_t msg_type;
  void* msg_buffer;
  uint32_t buff_size; /* bytes */
  gni_mem_handle_t mem_hndl;
  uint32_t mbox_offset;    /* bytes from msg_buffer */
  uint16_t mbox_maxcredit; /* messages in flight */
  uint32_t msg_maxsize;    /* bytes of header and data */
} gni_smsg_attr_t;

typedef int gni_msgq_rcv_cb_func(uint32_t snd_id, uint32_t snd_pe, void* msg, uint8_t msg_tag,
                                 void* cb_data);

typedef struct gni_msgq_attr {
  uint32_t max_msg_sz;
  uint32_t smsg_q_sz;
  uint32_t rcv_pool_sz;
  uint32_t num_msgq_eps;
  uint32_t nloc_insts;
  uint8_t modes;
  uint32_t rcv_cq_sz;
} gni_msgq_attr_t;

typedef struct gni_msgq_rem_inst {
  uint32_t id;
  gni_mem_handle_t mdh;
  uint64_t mdh_off;
} gni_msgq_rem_inst_t;

typedef struct gni_msgq_ep_attr {
  uint32_t pe_addr;
  uint32_t max_msg_sz;
  uint32_t smsg_q_sz;
  uint32_t num_insts;
  gni_msgq_rem_inst_t insts[GNI_MSGQ_NODE_INSTS_MAX];
} gni_msgq_ep_attr_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
