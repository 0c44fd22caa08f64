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
  DMAPP_ROUTING_ADAPTIVE
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
} dmapp_rma_attrs_ext_t;

/* ---- Start and end ---- */

/* Collective over the job. `requested` null or its fields 0: defaults. `actual` (may be null) is
 * given what holds; fields out of range: INVALID_PARAM; no memory for the symmetric heap:
 * RESOURCE_ERROR; one PE's error is all PEs'. May be called again, and dmapp_finalize then as
 * often. */
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

/* ---- Completion ---- */

/* An id ends when a call says that its transfer has: it must not be used again. */
dmapp_return_t dmapp_syncid_wait(dmapp_syncid_handle_t* syncid);
dmapp_return_t dmapp_syncid_test(dmapp_syncid_handle_t* syncid, int* flag);
/* All _nbi transfers of the caller are complete and visible at their targets. */
dmapp_return_t dmapp_gsync_wait(void);
dmapp_return_t dmapp_gsync_test(int* flag);
/* Takes in completions. */
dmapp_return_t dmapp_progress(void);

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

#ifdef __cplusplus
} /* extern "C" */
#endif
