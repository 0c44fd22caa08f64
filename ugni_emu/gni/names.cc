// The texts of uGNI's codes, statistics and resources.
#include "ugni_emu/include/gni_pub.h"

const char* gni_err_str[] = {
    "GNI_RC_SUCCESS",          "GNI_RC_NOT_DONE",        "GNI_RC_INVALID_PARAM",
    "GNI_RC_ERROR_RESOURCE",   "GNI_RC_TIMEOUT",         "GNI_RC_PERMISSION_ERROR",
    "GNI_RC_DESCRIPTOR_ERROR", "GNI_RC_ALIGNMENT_ERROR", "GNI_RC_INVALID_STATE",
    "GNI_RC_NO_MATCH",         "GNI_RC_SIZE_ERROR",      "GNI_RC_TRANSACTION_ERROR",
    "GNI_RC_ILLEGAL_OP",       "GNI_RC_ERROR_NOMEM"};

const char* gni_statistic_str[] = {
    "GNI_STAT_SMSG_BUFF_CREDITS_STALL", "GNI_STAT_SMSG_DLA_STALL",
    "GNI_STAT_SMSG_MBOX_CREDITS_STALL", "GNI_STAT_SMSG_REQ_STALL",
    "GNI_STAT_SMSG_RETRANS_COUNT",      "GNI_STAT_SMSG_RETRANS_DLA_COUNT",
    "GNI_STAT_SMSG_RETRANS_STALL",      "GNI_STAT_MR_MULTI_PAGESIZE"};

uint32_t gni_dev_res_valid(gni_dev_res_t dev_res) {
  return dev_res > GNI_DEV_RES_FIRST && dev_res < GNI_DEV_RES_LAST ? 1 : 0;
}

const char* gni_dev_res_to_str(gni_dev_res_t dev_res) {
  static const char* const names[] = {"FIRST", "MDD", "MRT", "CQ",  "FMA",
                                      "CE",    "DLA", "TCR", "DVA", "VMDH"};
  return gni_dev_res_valid(dev_res) ? names[dev_res] : "unknown";
}

uint32_t gni_dev_orb_mmr_valid(gni_dev_orb_mmr_t orb_mmr) {
  return orb_mmr > GNI_DEV_ORB_MMR_FIRST && orb_mmr < GNI_DEV_ORB_MMR_LAST ? 1 : 0;
}

const char* gni_dev_orb_mmr_to_str(gni_dev_orb_mmr_t orb_mmr) {
  return gni_dev_orb_mmr_valid(orb_mmr) ? "MAX_PID_CNT" : "unknown";
}

uint32_t gni_job_res_valid(gni_job_res_t job_res) {
  return job_res > GNI_JOB_RES_FIRST && job_res < GNI_JOB_RES_LAST ? 1 : 0;
}

const char* gni_job_res_to_str(gni_job_res_t job_res) {
  static const char* const names[] = {"FIRST", "MDD",    "MRT",       "IOMMU",  "GART",
                                      "CQ",    "FMA",    "RDMA",      "CE",     "DLA",
                                      "SFMA",  "DIRECT", "PCI_IOMMU", "NONVMDH"};
  return gni_job_res_valid(job_res) ? names[job_res] : "unknown";
}
