/* uGNI types for devices, resources, statistics and jobs. Part of gni_pub.h; include that. */
#pragma once

#include <stdint.h>

#include "constants.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gni_nic_device GNI_ENUM_INT {
  GNI_DEVICE_GEMINI = 0,
  GNI_DEVICE_ARIES = 1,
  GNI_DEVICE_PISCES = 2,
  GNI_DEVICE_LAST
} gni_nic_device_t;

typedef enum gni_dev_res GNI_ENUM_INT {
  GNI_DEV_RES_FIRST = 0,
  GNI_DEV_RES_MDD,
  GNI_DEV_RES_MRT,
  GNI_DEV_RES_CQ,
  GNI_DEV_RES_FMA,
  GNI_DEV_RES_CE,
  GNI_DEV_RES_DLA,
  GNI_DEV_RES_TCR,
  GNI_DEV_RES_DVA,
  GNI_DEV_RES_VMDH,
  GNI_DEV_RES_LAST
} gni_dev_res_t;

typedef struct gni_dev_res_desc {
  uint64_t available;
  uint64_t reserved;
  uint64_t held;
  uint64_t total;
} gni_dev_res_desc_t;

typedef enum gni_job_res GNI_ENUM_INT {
  GNI_JOB_RES_FIRST = 0,
  GNI_JOB_RES_MDD,
  GNI_JOB_RES_MRT,
  GNI_JOB_RES_IOMMU,
  GNI_JOB_RES_GART,
  GNI_JOB_RES_CQ,
  GNI_JOB_RES_FMA,
  GNI_JOB_RES_RDMA,
  GNI_JOB_RES_CE,
  GNI_JOB_RES_DLA,
  GNI_JOB_RES_SFMA,
  GNI_JOB_RES_DIRECT,
  GNI_JOB_RES_PCI_IOMMU,
  GNI_JOB_RES_NONVMDH,
  GNI_JOB_RES_LAST
} gni_job_res_t;

typedef struct gni_job_res_desc {
  uint64_t used;
  uint64_t limit;
} gni_job_res_desc_t;

/* 1 if the value names a resource (between FIRST and LAST), else 0; and its name. */
uint32_t gni_dev_res_valid(gni_dev_res_t dev_res);
const char* gni_dev_res_to_str(gni_dev_res_t dev_res);
uint32_t gni_job_res_valid(gni_job_res_t job_res);
const char* gni_job_res_to_str(gni_job_res_t job_res);

typedef struct gni_version_info {
  uint32_t ugni_version;
  uint32_t ugni_svn_revision;
  char ugni_build_string[MAX_BUILD_STRING_LENGTH];
  uint32_t kgni_version;
  uint32_t kgni_svn_revision;
  char kgni_build_string[MAX_BUILD_STRING_LENGTH];
} gni_version_info_t;

typedef enum gni_statistic GNI_ENUM_INT {
  GNI_STAT_SMSG_BUFF_CREDITS_STALL = 0,
  GNI_STAT_SMSG_DLA_STALL,
  GNI_STAT_SMSG_MBOX_CREDITS_STALL,
  GNI_STAT_SMSG_REQ_STALL,
  GNI_STAT_SMSG_RETRANS_COUNT,
  GNI_STAT_SMSG_RETRANS_DLA_COUNT,
  GNI_STAT_SMSG_RETRANS_STALL,
#ifdef CRAY_CONFIG_GHAL_ARIES
  GNI_STAT_DLA_ALLOC_STATUS_STALL,
  GNI_STAT_DLA_ALLOC_STATUS_TIMEOUT,
  GNI_STAT_DLA_BLOCK_ORPHANED,
  GNI_STAT_DLA_BLOCK_RETRANS_COUNT,
  GNI_STAT_DLA_FREE_BLOCKS_STALL,
  GNI_STAT_DLA_FREE_FMAD_BLOCKS_STALL,
  GNI_STAT_DLA_HIGH_RETRANS_COUNT,
  GNI_STAT_DLA_OVERFLOW_RESEND,
  GNI_STAT_DLA_RETRANS_COUNT,
  GNI_STAT_DLA_TOTAL_RETRANS_COUNT,
  GNI_STAT_FLBTE_TXD_CORRUPT,
  GNI_STAT_FLBTE_TXD_NONE,
  GNI_STAT_FMA_LAUNCH_COUNT,
#endif
  GNI_STAT_MR_MULTI_PAGESIZE,
  GNI_NUM_STATS
} gni_statistic_t;

/* ---- Jobs and node translation ---- */

#define GNI_JOB_INVALID_LIMIT (-1)
#define GNI_JOB_CTRL_NTT_CLEANUP 0x01
#define GNI_JOB_CTRL_CE0_MASK 0x1
#define GNI_JOB_CTRL_CE1_MASK 0x2
#define GNI_JOB_CTRL_CE2_MASK 0x4
#define GNI_JOB_CTRL_CE3_MASK 0x8
#define GNI_JOB_CTRL_ALL_CE_MASK \
  (GNI_JOB_CTRL_CE0_MASK | GNI_JOB_CTRL_CE1_MASK | GNI_JOB_CTRL_CE2_MASK | GNI_JOB_CTRL_CE3_MASK)

typedef struct gni_job_limits {
  int32_t mdd_limit;
  union {
    int32_t mrt_limit;
    struct {
      uint8_t ce_limit;
      uint8_t iommu_limit;
      uint8_t res_byte2;
      uint8_t res_byte3;
    } m;
  } a;
  union {
    int32_t gart_limit;
    int32_t dla_limit;
  } b;
  int32_t fma_limit;
  int32_t bte_limit;
  int32_t cq_limit;
  int32_t ntt_ctrl;
  int32_t ntt_base;
  int32_t ntt_size;
} gni_job_limits_t;

typedef struct gni_ntt_entry {
  uint32_t blck_addr;
  uint32_t rplc_addr;
  uint8_t rplc_size;
} gni_ntt_entry_t;

typedef struct gni_ntt_descriptor {
  uint32_t group_size;
  uint8_t granularity;
  union {
    uint32_t* table;
    gni_ntt_entry_t* table_v2;
  } u;
  uint8_t flags;
} gni_ntt_descriptor_t;

/* ---- Balanced injection ---- */

#define GNI_BI_FLAG_APPLY_NOW 0x0001
#define GNI_BI_FLAG_APPLY_AFTER_THROTTLE 0x0002
#define GNI_BI_FLAG_USE_DEFAULT_SETTINGS 0x0004
#define GNI_BI_FLAG_VALUE_IS_NUM_ORB_ENTRIES 0x0008
#define GNI_BI_INJECT_BW_MIN 0
#define GNI_BI_INJECT_BW_MAX 100
#define GNI_BI_INJECT_ORB_MIN 0
#define GNI_BI_INJECT_ORB_MAX 992

typedef struct gni_bi_desc {
  uint16_t current_bw;
  uint16_t current_aot_bw;
  uint16_t current_norbs;
  uint16_t flags;
  uint16_t sys_def_bw;
  uint16_t sys_def_aot_bw;
  uint16_t cle_seqnum;
  uint16_t hss_seqnum;
} gni_bi_desc_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
