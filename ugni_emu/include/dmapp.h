/* DMAPP, the distributed shared memory application interface of Cray's Gemini: the public header.
 */
/*
 * Source-compatible with the library that ARMCI, foMPI and UPC use, as far as their sources show
 * it: no client depends on the values of enumerators and macros, which are our own. Link with
 * -ldmapp. C and C++.
 *
 * A remote address is (address, segment descriptor, PE); a PE is a rank of the job. The data
 * segment and the symmetric heap of every PE are reachable from dmapp_init on, other memory when
 * its owner has registered it and sent the descriptor. Addresses in a symmetric segment (data,
 * heap) are the caller's own: they mean the same place at the other PE, wherever its copy of the
 * segment lies. With a descriptor from dmapp_mem_register they are the owner's.
 *
 * Functions without a suffix return when the transfer is complete and visible at its target; _nb
 * ones give a synchronisation id for dmapp_syncid_wait or dmapp_syncid_test; _nbi ones are
 * completed by dmapp_gsync_wait or dmapp_gsync_test. Until then memory must stay as it is.
 * `nelems` counts elements of `type`.
 *
 * All of them return DMAPP_RC_SUCCESS, or:
 *   DMAPP_RC_INVALID_PARAM      null or unknown argument, no such PE or type, before dmapp_init
 *   DMAPP_RC_ALIGNMENT_ERROR    AMOs: not 8-byte aligned; GETs of DMAPP_DW, _QW and _DQW elements:
 *                               not 4-byte aligned at both ends
 *   DMAPP_RC_RESOURCE_ERROR     _nb and _nbi: as many as max_outstanding_nb are under way; wait for
 *                               some and try again. Nothing has been done.
 *   DMAPP_RC_BUSY               between dmapp_checkpoint and dmapp_restart
 *   DMAPP_RC_TRANSACTION_ERROR  the target refused: memory that is not registered, or no longer
 *   DMAPP_RC_INVALID_PARAM      as above, and: own memory that is not there
 *   DMAPP_RC_PERMISSION_ERROR   GETs: own memory that must not be written
 * (the last three from whatever completes the transfer). The CPU itself reads the source of a PUT
 * up to the offload threshold, and copies what a GET brings in part words or to a place that is not
 * as far from a word as the source: there, such memory is a segmentation fault of the caller's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "gni_pub.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dmapp_return GNI_ENUM_INT {
  DMAPP_RC_SUCCESS = 0,
  DMAPP_RC_INVALID_PARAM,
  DMAPP_RC_ALIGNMENT_ERROR,
  DMAPP_RC_TRANSACTION_ERROR,
  DMAPP_RC_RESOURCE_ERROR,
  DMAPP_RC_PERMISSION_ERROR,
  DMAPP_RC_NO_SPACE,
  DMAPP_RC_NOT_DONE,
  DMAPP_RC_NOT_SUPPORTED,
  DMAPP_RC_NOT_FOUND,
  DMAPP_RC_BUSY,
  DMAPP_RC_NOT_USED
} dmapp_return_t;

typedef enum dmapp_type GNI_ENUM_INT {
  DMAPP_DQW,  /* 16 bytes */
  DMAPP_QW,   /* 8 */
  DMAPP_DW,   /* 4 */
  DMAPP_BYTE, /* 1 */
  DMAPP_TYPE_NONE = 0x7fffffff
} dmapp_type_t;

typedef int dmapp_pe_t;
typedef struct dmapp_syncid* dmapp_syncid_handle_t;

/* A segment of a PE's memory. Plain data: PEs may send it to each other. Programs read addr and
 * len (bytes); the rest is DMAPP's. */
typedef struct dmapp_seg_desc {
  void* addr;
  uint64_t len;
  gni_mem_handle_t memhndl;
  uint32_t flags;
  uint32_t reserved;
} dmapp_seg_desc_t;

typedef struct dmapp_jobinfo {
  int version;
  int hw_version;
  int npes; /* of the job */
  dmapp_pe_t pe;
  dmapp_seg_desc_t data_seg;
  dmapp_seg_desc_t sheap_seg;
} dmapp_jobinfo_t;

typedef enum dmapp_routing_type GNI_ENUM_INT {
  DMAPP_ROUTING_IN_ORDER,
  DMAPP_ROUTING_DETERMINISTIC,
  DMAPP_ROUTING_ADAPTIVE,
  DMAPP_ROUTING_DETERMINISTIC_1, /* on a minimal way */
  DMAPP_ROUTING_ADAPTIVE_1,      /* an Aries's, with more and more bias towards minimal ways: */
  DMAPP_ROUTING_ADAPTIVE_2,      /* as GNI_DLVMODE_ADAPTIVE1 to 3 */
  DMAPP_ROUTING_ADAPTIVE_3
} dmapp_routing_type_t;

/* How the NIC orders writes to the host's memory. Accepted; memory is written in order here. */
typedef enum dmapp_pi_reg_type GNI_ENUM_INT {
  DMAPP_PI_ORDERING_STRICT,
  DMAPP_PI_ORDERING_DEFAULT,
  DMAPP_PI_ORDERING_RELAXED
} dmapp_pi_reg_type_t;

#define DMAPP_MIN_OUTSTANDING_NB 1
#define DMAPP_DEF_OUTSTANDING_NB 512
#define DMAPP_MAX_OUTSTANDING_NB 65536
#define DMAPP_OFFLOAD_THRESHOLD 4096 /* bytes */
#define DMAPP_MAX_THREADS_UNLIMITED 255
#define DMAPP_QUEUE_DEFAULT_DEPTH 64
#define DMAPP_QUEUE_MAX_DEPTH 65536
#define DMAPP_QUEUE_DEFAULT_NELEMS 128
#define DMAPP_QUEUE_MAX_NELEMS 8192
/* Asks for a thread that calls back at any time. Accepted; callbacks come within calls. */
#define DMAPP_QUEUE_ASYNC_PROGRESS 0x1

/* What a PE asks of its transfers; 0 leaves a field at its default. */
typedef struct dmapp_rma_attrs {
  uint32_t max_outstanding_nb;  /* DMAPP_MIN_ to DMAPP_MAX_OUTSTANDING_NB */
  uint32_t offload_threshold;   /* bytes: up to here by FMA, above by the BTE */
  uint8_t put_relaxed_ordering; /* dmapp_routing_type_t */
  uint8_t get_relaxed_ordering; /* the same */
  uint8_t max_concurrency;      /* threads that call; any number may */
} dmapp_rma_attrs_t;

typedef struct dmapp_rma_attrs_ext {
  uint32_t max_outstanding_nb;
  uint32_t offload_threshold;
  uint8_t put_relaxed_ordering;
  uint8_t get_relaxed_ordering;
  uint8_t max_concurrency;
  uint8_t PI_ordering; /* dmapp_pi_reg_type_t */
  /* Members that came with queues. Older sources leave them unset: no value is refused, `actual`
   * is given the nearest one that is allowed. */
  uint32_t queue_depth;  /* messages that a queue holds, up to DMAPP_QUEUE_MAX_DEPTH */
  uint32_t queue_nelems; /* 8-byte words of a message, up to DMAPP_QUEUE_MAX_NELEMS */
  uint64_t queue_flags;  /* 0 or DMAPP_QUEUE_ASYNC_PROGRESS */
} dmapp_rma_attrs_ext_t;

/* ---- Start and end ---- */

/* Collective over the job. `requested` null or its fields 0: defaults. `actual` (may be null) is
 * given what holds; fields out of range, those of queues excepted: INVALID_PARAM; no memory for the
 * symmetric heap: RESOURCE_ERROR; one PE's error is all PEs'. May be called again, and
 * dmapp_finalize then as often. */
dmapp_return_t dmapp_init(dmapp_rma_attrs_t* requested, dmapp_rma_attrs_t* actual);
dmapp_return_t dmapp_init_ext(dmapp_rma_attrs_ext_t* requested, dmapp_rma_attrs_ext_t* actual);
dmapp_return_t dmapp_initialized(int* flag);
/* Collective; completes what is under way. In a job of DMAPP alone, a rank that ends without it
 * ends the job. */
dmapp_return_t dmapp_finalize(void);
dmapp_return_t dmapp_get_jobinfo(dmapp_jobinfo_t* info);
/* What holds, or before dmapp_init the defaults. */
dmapp_return_t dmapp_get_rma_attrs(dmapp_rma_attrs_t* attrs);
dmapp_return_t dmapp_get_rma_attrs_ext(dmapp_rma_attrs_ext_t* attrs);
/* Completes what is under way first. */
dmapp_return_t dmapp_set_rma_attrs(dmapp_rma_attrs_t* requested, dmapp_rma_attrs_t* actual);
dmapp_return_t dmapp_set_rma_attrs_ext(dmapp_rma_attrs_ext_t* requested,
                                       dmapp_rma_attrs_ext_t* actual);
/* A sentence about a code; INVALID_PARAM if it is none. */
dmapp_return_t dmapp_explain_error(dmapp_return_t code, const char** text);

/* ---- Memory ---- */

/* Symmetric heap of XT_SYMMETRIC_HEAP_SIZE bytes: blocks are 16-byte aligned, not zeroed, null if
 * there is no room. They lie at the same offset on PEs that made the same calls in the same order.
 * Local: no PE waits for others. */
void* dmapp_sheap_malloc(size_t bytes);
void* dmapp_sheap_realloc(void* block, size_t bytes);
void dmapp_sheap_free(void* block);
typedef struct dmapp_sheap_statistics {
  size_t size; /* bytes of the heap, in use and in the largest free block */
  size_t used;
  size_t largest_free;
} dmapp_sheap_stats_t;
dmapp_return_t dmapp_sheap_stats(dmapp_sheap_stats_t* stats);

/* Makes [address, address + length) reachable; the descriptor's range may be wider. A range may be
 * registered more than once. DMAPP_RC_PERMISSION_ERROR: memory that cannot be written. */
dmapp_return_t dmapp_mem_register(void* address, uint64_t length, dmapp_seg_desc_t* segment);
/* NOT_FOUND if there is no such registration. */
dmapp_return_t dmapp_mem_unregister(dmapp_seg_desc_t* segment);
/* Takes an address range for memory that is to be reachable later; it need not be there yet. Flags:
 * 0. Nobody reaches it before dmapp_mem_update. BUSY: a part of it is reserved. */
dmapp_return_t dmapp_mem_reserve(void* address, uint64_t length, uint64_t flags,
                                 dmapp_seg_desc_t* segment);
/* Makes [address, address + length) of a range reserved by dmapp_mem_reserve reachable, in place of
 * what dmapp_mem_update made so before: others need the descriptor anew. Codes as
 * dmapp_mem_register; INVALID_PARAM: not within the range; NOT_FOUND: no reserved range.
 * dmapp_mem_unregister ends it. */
dmapp_return_t dmapp_mem_update(void* address, uint64_t length, uint64_t flags,
                                dmapp_seg_desc_t* segment);
/* 1 if both describe the same registration. */
dmapp_return_t dmapp_segdesc_compare(dmapp_seg_desc_t* one, dmapp_seg_desc_t* other, int* flag);

/* ---- Contiguous ---- */

dmapp_return_t dmapp_put(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                         void* source, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_put_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                            void* source, uint64_t nelems, dmapp_type_t type,
                            dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_put_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                             void* source, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_get(void* target, void* source, dmapp_seg_desc_t* source_segment,
                         dmapp_pe_t pe, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_get_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,
                            dmapp_pe_t pe, uint64_t nelems, dmapp_type_t type,
                            dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_get_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                             dmapp_pe_t pe, uint64_t nelems, dmapp_type_t type);
/* As dmapp_get_nbi: what comes back is flagged, which no program sees. */
dmapp_return_t dmapp_get_flag_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                  dmapp_pe_t pe, uint64_t nelems, dmapp_type_t type);
/* A put, and then flag_value in the aligned 8 bytes at target_flag of the same segment: a PE that
 * sees the flag sees the data. */
dmapp_return_t dmapp_put_flag(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                              void* source, uint64_t nelems, dmapp_type_t type, void* target_flag,
                              uint64_t flag_value);
dmapp_return_t dmapp_put_flag_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                                 void* source, uint64_t nelems, dmapp_type_t type,
                                 void* target_flag, uint64_t flag_value,
                                 dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_put_flag_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                                  void* source, uint64_t nelems, dmapp_type_t type,
                                  void* target_flag, uint64_t flag_value);

/* ---- Strided: element i from source + i * sst to target + i * tst (both in elements) ---- */

dmapp_return_t dmapp_iput(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                          void* source, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                          dmapp_type_t type);
dmapp_return_t dmapp_iput_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                             void* source, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                             dmapp_type_t type, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_iput_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                              void* source, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                              dmapp_type_t type);
dmapp_return_t dmapp_iget(void* target, void* source, dmapp_seg_desc_t* source_segment,
                          dmapp_pe_t pe, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                          dmapp_type_t type);
dmapp_return_t dmapp_iget_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,
                             dmapp_pe_t pe, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                             dmapp_type_t type, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_iget_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                              dmapp_pe_t pe, ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems,
                              dmapp_type_t type);

/* ---- Indexed at the remote side: element i at remote address + index[i] (in elements) ---- */

dmapp_return_t dmapp_ixput(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                           void* source, ptrdiff_t* tidx, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_ixput_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                              void* source, ptrdiff_t* tidx, uint64_t nelems, dmapp_type_t type,
                              dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_ixput_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                               void* source, ptrdiff_t* tidx, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_ixget(void* target, void* source, dmapp_seg_desc_t* source_segment,
                           dmapp_pe_t pe, ptrdiff_t* sidx, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_ixget_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,
                              dmapp_pe_t pe, ptrdiff_t* sidx, uint64_t nelems, dmapp_type_t type,
                              dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_ixget_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                               dmapp_pe_t pe, ptrdiff_t* sidx, uint64_t nelems, dmapp_type_t type);

/* ---- Many PEs, at the same place of a symmetric segment ---- */

/* The same nelems elements to each PE of the list. */
dmapp_return_t dmapp_put_ixpe(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t* pe_list,
                              uint32_t num_pes, void* source, uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_put_ixpe_nb(void* target, dmapp_seg_desc_t* target_segment,
                                 dmapp_pe_t* pe_list, uint32_t num_pes, void* source,
                                 uint64_t nelems, dmapp_type_t type, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_put_ixpe_nbi(void* target, dmapp_seg_desc_t* target_segment,
                                  dmapp_pe_t* pe_list, uint32_t num_pes, void* source,
                                  uint64_t nelems, dmapp_type_t type);
/* The i-th block of nelems elements to the i-th PE. */
dmapp_return_t dmapp_scatter_ixpe(void* target, dmapp_seg_desc_t* target_segment,
                                  dmapp_pe_t* pe_list, uint32_t num_pes, void* source,
                                  uint64_t nelems, dmapp_type_t type);
dmapp_return_t dmapp_scatter_ixpe_nb(void* target, dmapp_seg_desc_t* target_segment,
                                     dmapp_pe_t* pe_list, uint32_t num_pes, void* source,
                                     uint64_t nelems, dmapp_type_t type,
                                     dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_scatter_ixpe_nbi(void* target, dmapp_seg_desc_t* target_segment,
                                      dmapp_pe_t* pe_list, uint32_t num_pes, void* source,
                                      uint64_t nelems, dmapp_type_t type);
/* nelems elements from the i-th PE into the i-th block. */
dmapp_return_t dmapp_gather_ixpe(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                 dmapp_pe_t* pe_list, uint32_t num_pes, uint64_t nelems,
                                 dmapp_type_t type);
dmapp_return_t dmapp_gather_ixpe_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                    dmapp_pe_t* pe_list, uint32_t num_pes, uint64_t nelems,
                                    dmapp_type_t type, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_gather_ixpe_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                     dmapp_pe_t* pe_list, uint32_t num_pes, uint64_t nelems,
                                     dmapp_type_t type);

/* ---- Atomics on aligned 8-byte words, done by the target's NIC ---- */

#define DMAPP_DECLARE_AMO(name)                                                                    \
  dmapp_return_t dmapp_##name(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,       \
                              int64_t operand);                                                    \
  dmapp_return_t dmapp_##name##_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,  \
                                   int64_t operand, dmapp_syncid_handle_t* syncid);                \
  dmapp_return_t dmapp_##name##_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe, \
                                    int64_t operand);
DMAPP_DECLARE_AMO(aadd_qw)
DMAPP_DECLARE_AMO(aand_qw)
DMAPP_DECLARE_AMO(aor_qw)
DMAPP_DECLARE_AMO(axor_qw)
#undef DMAPP_DECLARE_AMO

/* Fetching: the old value of the remote word `source` goes to `target`, the caller's. */
#define DMAPP_DECLARE_AMO(name)                                                                    \
  dmapp_return_t dmapp_##name(void* target, void* source, dmapp_seg_desc_t* source_segment,        \
                              dmapp_pe_t pe, int64_t operand);                                     \
  dmapp_return_t dmapp_##name##_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,   \
                                   dmapp_pe_t pe, int64_t operand, dmapp_syncid_handle_t* syncid); \
  dmapp_return_t dmapp_##name##_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,  \
                                    dmapp_pe_t pe, int64_t operand);
DMAPP_DECLARE_AMO(afadd_qw)
DMAPP_DECLARE_AMO(afand_qw)
DMAPP_DECLARE_AMO(afor_qw)
DMAPP_DECLARE_AMO(afxor_qw)
#undef DMAPP_DECLARE_AMO

/* afax: (old AND and_mask) XOR xor_mask. acswap: swaperand, if the old value was comperand. */
#define DMAPP_DECLARE_AMO(name, first, second)                                                    \
  dmapp_return_t dmapp_##name(void* target, void* source, dmapp_seg_desc_t* source_segment,       \
                              dmapp_pe_t pe, int64_t first, int64_t second);                      \
  dmapp_return_t dmapp_##name##_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,  \
                                   dmapp_pe_t pe, int64_t first, int64_t second,                  \
                                   dmapp_syncid_handle_t* syncid);                                \
  dmapp_return_t dmapp_##name##_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment, \
                                    dmapp_pe_t pe, int64_t first, int64_t second);
DMAPP_DECLARE_AMO(afax_qw, and_mask, xor_mask)
DMAPP_DECLARE_AMO(acswap_qw, comperand, swaperand)
#undef DMAPP_DECLARE_AMO

/* The same by a record. Types other than DMAPP_QW, and operations that the NIC has not:
 * NOT_SUPPORTED. amo_put: all but CSWAP; amo_get gives the old value to `target`. */
typedef enum dmapp_amo_op GNI_ENUM_INT {
  DMAPP_AMO_ADD,
  DMAPP_AMO_AND,
  DMAPP_AMO_OR,
  DMAPP_AMO_XOR,
  DMAPP_AMO_AX,   /* (old AND operand1) XOR operand2 */
  DMAPP_AMO_CSWAP /* operand2, if the old value was operand1 */
} dmapp_amo_op_t;
typedef struct dmapp_amo {
  dmapp_amo_op_t op;
  dmapp_type_t type;
  int64_t operand1;
  int64_t operand2; /* of AX and CSWAP */
} dmapp_amo_t;
dmapp_return_t dmapp_amo_put(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                             dmapp_amo_t* amo);
dmapp_return_t dmapp_amo_put_nb(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                                dmapp_amo_t* amo, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_amo_put_nbi(void* target, dmapp_seg_desc_t* target_segment, dmapp_pe_t pe,
                                 dmapp_amo_t* amo);
dmapp_return_t dmapp_amo_get(void* target, void* source, dmapp_seg_desc_t* source_segment,
                             dmapp_pe_t pe, dmapp_amo_t* amo);
dmapp_return_t dmapp_amo_get_nb(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                dmapp_pe_t pe, dmapp_amo_t* amo, dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_amo_get_nbi(void* target, void* source, dmapp_seg_desc_t* source_segment,
                                 dmapp_pe_t pe, dmapp_amo_t* amo);
/* The CPU of `pe` sees what the caller's AMOs that are complete have done there, which it does here
 * without: checks its arguments. Flags: 0. */
dmapp_return_t dmapp_amo_flush(dmapp_pe_t pe, uint64_t flags);

/* ---- Completion ---- */

/* An id ends when a call says that its transfer has: it must not be used again. */
dmapp_return_t dmapp_syncid_wait(dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_syncid_test(dmapp_syncid_handle_t* syncid, int* flag);
/* All _nbi transfers of the caller are complete and visible at their targets. */
dmapp_return_t dmapp_gsync_wait(void);
dmapp_return_t dmapp_gsync_test(int* flag);
/* Takes in completions and messages of the queue. */
dmapp_return_t dmapp_progress(void);

/* Completes what is under way; until dmapp_restart nothing can be begun (DMAPP_RC_BUSY). */
dmapp_return_t dmapp_checkpoint(void);
/* Goes on, with all memory and registrations as they were. Modes: 0. INVALID_PARAM without
 * dmapp_checkpoint. */
dmapp_return_t dmapp_restart(uint32_t restart_modes);

/* ---- A queue of messages to each PE ---- */

typedef struct dmapp_queue* dmapp_queue_handle_t;
/* `data` of `length` bytes has come from PE `rank`; the memory is DMAPP's. Called within
 * dmapp_progress, dmapp_queue_put, and calls that wait for or test completions, one at a time; it
 * may call DMAPP. */
typedef int (*dmapp_queue_callback_t)(void* context, void* data, uint32_t length, dmapp_pe_t rank);
/* Every PE that sends or receives attaches, at the same place among its calls of the symmetric
 * heap, from which the queue's memory comes. Flags: 0 or DMAPP_QUEUE_ASYNC_PROGRESS. BUSY: it is
 * attached. NO_SPACE: the heap has no room. */
dmapp_return_t dmapp_queue_attach(dmapp_queue_callback_t callback, void* context, uint64_t flags,
                                  dmapp_queue_handle_t* queue);
/* Delivers what has come. Nobody may send to the PE any more. Flags: 0. */
dmapp_return_t dmapp_queue_detach(dmapp_queue_handle_t queue, uint64_t flags);
/* Sends; returns when the message is in the target's queue, and waits, delivering own messages,
 * while that is full. Flags: 0. NO_SPACE: longer than queue_nelems words. NOT_FOUND: the target has
 * not attached, or has detached. */
dmapp_return_t dmapp_queue_put(dmapp_queue_handle_t queue, void* source, uint64_t nelems,
                               dmapp_type_t type, dmapp_pe_t pe, uint64_t flags);

/* ---- Collective operations of sets of PEs ---- */

typedef enum dmapp_c_pset_delimiter GNI_ENUM_INT {
  DMAPP_C_PSET_DELIMITER_STRIDED,
  DMAPP_C_PSET_DELIMITER_INDEXED
} dmapp_c_pset_delimiter_t;
typedef struct dmapp_c_pset_delimiter_strided {
  uint32_t n_pes;
  uint32_t base_pe;
  uint32_t stride_pe;
} dmapp_c_pset_delimiter_strided_t;
typedef struct dmapp_c_pset_delimiter_indexed {
  uint32_t n_pes;
  dmapp_pe_t* pes;
} dmapp_c_pset_delimiter_indexed_t;
#define DMAPP_C_PSET_MODE_CONCAT 0x1 /* accepted, with concat_buf: not needed here */
typedef struct dmapp_c_pset_desc {
  dmapp_c_pset_delimiter_t type;
  void* concat_buf;
  uint64_t concat_buf_size;
  union {
    dmapp_c_pset_delimiter_strided_t stride_type;
    dmapp_c_pset_delimiter_indexed_t index_type;
  } u;
} dmapp_c_pset_desc_t;
typedef struct dmapp_c_pset_attrs {
  uint64_t reserved;
} dmapp_c_pset_attrs_t;
typedef struct dmapp_c_pset* dmapp_c_pset_handle_t;
typedef enum dmapp_c_type GNI_ENUM_INT {
  DMAPP_C_INT32,
  DMAPP_C_UINT32,
  DMAPP_C_INT64,
  DMAPP_C_UINT64,
  DMAPP_C_FLOAT,
  DMAPP_C_DOUBLE
} dmapp_c_type_t;
typedef enum dmapp_c_op GNI_ENUM_INT {
  DMAPP_C_SUM,
  DMAPP_C_PROD,
  DMAPP_C_MIN,
  DMAPP_C_MAX,
  DMAPP_C_BAND, /* of integers alone, and the next two */
  DMAPP_C_BOR,
  DMAPP_C_BXOR
} dmapp_c_op_t;

/* A set of PEs, the caller one of them, the same at all and under the same identifier, which is its
 * own at any time. Attributes may be null. INVALID_PARAM also: the caller, or a PE twice, is wrong.
 */
dmapp_return_t dmapp_c_pset_create(dmapp_c_pset_desc_t* description, uint64_t identifier,
                                   uint64_t modes, dmapp_c_pset_attrs_t* attributes,
                                   dmapp_c_pset_handle_t* set);
/* Opens it for collective calls. Between the two all members meet in PMI_Barrier; NOT_FOUND if one
 * has not created the set before. */
dmapp_return_t dmapp_c_pset_export(dmapp_c_pset_handle_t set);
/* BUSY: an operation is under way. */
dmapp_return_t dmapp_c_pset_destroy(dmapp_c_pset_handle_t set);
/* Begin an operation, which all members begin in the same order; BUSY if one is under way. */
dmapp_return_t dmapp_c_barrier_join(dmapp_c_pset_handle_t set);
/* `out` is given the combination of all members' `in`, nelems elements of it, in the same order at
 * all. INVALID_PARAM: more than dmapp_c_greduce_nelems_max says. NOT_SUPPORTED: bits of a float. */
dmapp_return_t dmapp_c_greduce_start(dmapp_c_pset_handle_t set, void* in, void* out,
                                     uint32_t nelems, dmapp_c_type_t type, dmapp_c_op_t op);
dmapp_return_t dmapp_c_greduce_nelems_max(dmapp_c_type_t type, uint32_t* nelems_max);
/* SUCCESS: no operation is under way any more; test: NOT_DONE otherwise, and goes on with it. */
dmapp_return_t dmapp_c_pset_test(dmapp_c_pset_handle_t set);
dmapp_return_t dmapp_c_pset_wait(dmapp_c_pset_handle_t set);
/* Gives the operation up, which every member has to do. */
dmapp_return_t dmapp_c_pset_cancel_op(dmapp_c_pset_handle_t set);

/* ---- Locks: zeroed objects in a symmetric segment, kept by PE `host` ---- */

typedef struct dmapp_lock_desc {
  uint64_t next; /* ticket to be drawn */
  uint64_t serving;
  uint64_t reserved[6];
} dmapp_lock_desc_t;
typedef struct dmapp_lock* dmapp_lock_handle_t;
#define DMAPP_MAX_LOCKS 128 /* of a PE at a time, unless the variable of that name says else */

/* Waits its turn: first come, first served. RESOURCE_ERROR: too many locks. Flags: 0. */
dmapp_return_t dmapp_lock_acquire(dmapp_lock_desc_t* lock, dmapp_seg_desc_t* segment,
                                  dmapp_pe_t host, uint64_t flags, dmapp_lock_handle_t* handle);
/* NOT_DONE if a PE has it. */
dmapp_return_t dmapp_lock_try(dmapp_lock_desc_t* lock, dmapp_seg_desc_t* segment, dmapp_pe_t host,
                              uint64_t flags, dmapp_lock_handle_t* handle);
/* The holder's earlier _nbi transfers are complete before the next one has the lock. */
dmapp_return_t dmapp_lock_release(dmapp_lock_handle_t handle, uint64_t flags);
/* The same by the lock's place. NOT_FOUND: the caller does not hold it. */
dmapp_return_t dmapp_lock_release_addr(dmapp_lock_desc_t* lock, dmapp_pe_t host, uint64_t flags);

#ifdef __cplusplus
} /* extern "C" */
#endif
