/* What versions 0x60 and 0x61 of uGNI have added. Part of gni_pub.h; include that. */
#pragma once

#include <stdint.h>

#include "devices.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GNI_VERSION_CDM_HOLD_RELEASE 0x600000
#define GNI_VERSION_CE_FPADD_RELEASE 0x610000

/* ---- Holding a protection domain ---- */

/* Keeps what the driver has for a tag and cookie from the caller's last domain on until the
 * descriptor in *nic_fd is given to GNI_CdmRelease. Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE
 * (there is no descriptor left). */
gni_return_t GNI_CdmHold(uint8_t ptag, uint32_t cookie, int* nic_fd);

/* Returns SUCCESS, INVALID_PARAM (not such a descriptor). */
gni_return_t GNI_CdmRelease(int nic_fd);

/* As GNI_ConfigureJob, with such a descriptor; privileged. Returns SUCCESS, INVALID_PARAM,
 * PERMISSION_ERROR. */
gni_return_t GNI_ConfigureJobFd(uint32_t device_id, uint64_t job_id, uint8_t ptag, uint32_t cookie,
                                gni_job_limits_t* limits, int* nic_fd);

/* ---- Capabilities ---- */

#define GNI_MAX_CAPABILITY_WORDS 6

typedef struct gni_revision_info {
  uint64_t revision_instance;
  int nid;
  uint32_t user_major_revision;
  uint32_t user_minor_revision;
  uint32_t user_code_revision;
  uint32_t driver_major_revision;
  uint32_t driver_minor_revision;
  uint32_t driver_code_revision;
  uint32_t maximum_defined_capabilities;
  uint64_t capabilities[GNI_MAX_CAPABILITY_WORDS];
  uint64_t requirement[GNI_MAX_CAPABILITY_WORDS];
} gni_revision_info_t;

/* This node's: a bit for each capability; which of them peers must have. (The bits' meaning is not
 * published: none is set.) Returns SUCCESS, INVALID_PARAM, ERROR_RESOURCE. */
gni_return_t GNI_GetCapabilities(gni_revision_info_t* revision_info);

/* Whether two nodes go together: all that the one requires the other has. Returns SUCCESS,
 * INVALID_STATE (they do not). */
gni_return_t GNI_ValidateCapabilities(gni_revision_info_t first, gni_revision_info_t second);

/* ---- A register of Aries ---- */

typedef enum gni_dev_orb_mmr GNI_ENUM_INT {
  GNI_DEV_ORB_MMR_FIRST = 0,
  GNI_DEV_ORB_MMR_MAX_PID_CNT,
  GNI_DEV_ORB_MMR_LAST
} gni_dev_orb_mmr_t;

#define GET_DEV_ORB_MMR_VALUE (~(uint64_t)0)

uint32_t gni_dev_orb_mmr_valid(gni_dev_orb_mmr_t orb_mmr);
const char* gni_dev_orb_mmr_to_str(gni_dev_orb_mmr_t orb_mmr);

/* Root's. Returns SUCCESS, INVALID_PARAM, PERMISSION_ERROR, ILLEGAL_OP (a Gemini has none). */
gni_return_t GNI_SetDeviceOrbMMR(gni_nic_handle_t nic_hndl, gni_dev_orb_mmr_t orb_mmr,
                                 uint64_t new_value, uint64_t* old_value);

/* ---- Datagram queues: declared, not there ---- */

#define GNI_DQUEUE_DEFAULT_ENTRIES 1024
#define GNI_DQUEUE_DEFAULT_MSG_SIZE 192

typedef struct gni_dqueue* gni_dqueue_handle_t;
typedef int (*gni_dqueue_cb_t)(void* context, void* data, uint32_t length, uint32_t pe,
                               uint32_t inst_id);

typedef struct gni_dqueue_in_attr {
  uint32_t entries;
  uint32_t msg_size;
  uint64_t flags;
  uint32_t npeers;
  gni_dqueue_cb_t cb;
  void* context;
} gni_dqueue_in_attr_t;

typedef struct gni_dqueue_out_attr {
  uint32_t pe;
  uint32_t id;
  gni_mem_handle_t mdh;
  uint32_t entries;
  uint32_t msg_size;
} gni_dqueue_out_attr_t;

/* Each returns ILLEGAL_OP, and says so once. */
gni_return_t GNI_DqueueInit(gni_nic_handle_t nic_hndl, gni_dqueue_in_attr_t* in_attr,
                            gni_dqueue_out_attr_t* out_attr, gni_dqueue_handle_t* dqueue_hndl);
gni_return_t GNI_DqueueFini(gni_dqueue_handle_t dqueue_hndl);
gni_return_t GNI_DqueueConnect(gni_dqueue_handle_t dqueue_hndl, gni_dqueue_out_attr_t* attrs,
                               uint32_t nattrs);
gni_return_t GNI_DqueuePut(gni_dqueue_handle_t dqueue_hndl, void* data, uint32_t length,
                           uint32_t pe_addr, uint32_t inst_id);
gni_return_t GNI_DqueueProgress(gni_dqueue_handle_t dqueue_hndl);

#ifdef __cplusplus
} /* extern "C" */
#endif
