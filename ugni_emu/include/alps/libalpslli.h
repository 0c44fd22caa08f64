/* ALPS: requests of a process to its launcher. Link with -lalpslli. */
/*
 * One request at a time: put_request, get_response, get_response_bytes, between lock and unlock.
 * All return ALPS_APP_LLI_ALPS_STAT_OK or ALPS_APP_LLI_ALPS_STAT_ERROR with errno: EINVAL (null or
 * unknown argument), ESRCH (the caller is no process of a job), ENOMSG (nothing has been asked).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "alps.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ALPS_APP_LLI_ALPS_STAT_OK 0
#define ALPS_APP_LLI_ALPS_STAT_ERROR (-1)

/* What can be asked; the answer is */
#define ALPS_APP_LLI_ALPS_REQ_APID 1 /* uint64_t: the number of this launch */
#define ALPS_APP_LLI_ALPS_REQ_GNI 2  /* alpsAppLLIGni_t: rights on the network */

/* Rights on one NIC: what GNI_CdmCreate and GNI_CdmAttach take. */
typedef struct alps_app_gni {
  int device_id;
  int local_addr; /* PE address of the NIC */
  uint32_t cookie;
  uint8_t ptag;
} alpsAppGni_t;

typedef struct alps_app_lli_gni {
  int count; /* entries of alpsAppGni_t in u.buf: one for each NIC */
  union {
    char buf[sizeof(alpsAppGni_t)]; /* or more */
    uint64_t alignment;
  } u;
} alpsAppLLIGni_t;

/* Other threads of the process wait in lock until unlock. */
int alps_app_lli_lock(void);
int alps_app_lli_unlock(void);
/* `bytes` of `data` go with the request: none of those above has any. */
int alps_app_lli_put_request(int request, void* data, size_t bytes);
/* Whether ALPS could answer (ALPS_APP_LLI_ALPS_STAT_OK), and the answer's length in bytes. */
int alps_app_lli_get_response(int* status, size_t* bytes);
/* The first `bytes` of the answer; ERROR with EMSGSIZE if it has fewer. The request is over. */
int alps_app_lli_get_response_bytes(void* to, size_t bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif
