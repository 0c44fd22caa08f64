/* PMI version 2: the same job, ranks and key-value space as pmi.h. */
/*
 * In libpmi, too: link with -lpmi. Every function but PMI2_Initialized returns PMI2_SUCCESS or one
 * of the codes below; any call starts PMI2 if PMI2_Init has not.
 */
#pragma once

#include "pmi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PMI2_SUCCESS 0
#define PMI2_FAIL (-1)
#define PMI2_ERR_INIT 1
#define PMI2_ERR_NOMEM 2
#define PMI2_ERR_INVALID_ARG 3
#define PMI2_ERR_INVALID_KEY 4
#define PMI2_ERR_INVALID_KEY_LENGTH 5
#define PMI2_ERR_INVALID_VAL 6
#define PMI2_ERR_INVALID_VAL_LENGTH 7
#define PMI2_ERR_INVALID_LENGTH 8
#define PMI2_ERR_INVALID_NUM_ARGS 9
#define PMI2_ERR_INVALID_ARGS 10
#define PMI2_ERR_INVALID_NUM_PARSED 11
#define PMI2_ERR_INVALID_KEYVALP 12
#define PMI2_ERR_INVALID_SIZE 13
#define PMI2_ERR_OTHER 14

/* Lengths with the final zero. */
#define PMI2_MAX_KEYLEN 64
#define PMI2_MAX_VALLEN 1024
#define PMI2_MAX_ATTRVALUE 1024
#define PMI2_ID_NULL (-1)

/* Arguments may be null. `spawned` is 0 always, `appnum` 0: there is one program. */
int PMI2_Init(int* spawned, int* size, int* rank, int* appnum);
/* Nonzero between PMI2_Init and PMI2_Finalize. */
int PMI2_Initialized(void);
int PMI2_Finalize(void);
/* Ends the job (flag nonzero) or the calling process's part in it, which ends the job, too. */
int PMI2_Abort(int flag, const char msg[]);

int PMI2_Job_GetId(char jobid[], int jobid_size);
int PMI2_Job_GetRank(int* rank);
int PMI2_Info_GetSize(int* size); /* processes of this node */

/* What was put before PMI2_KVS_Fence can be read behind it, which is collective. */
int PMI2_KVS_Put(const char key[], const char value[]);
int PMI2_KVS_Fence(void);
/* `jobid` null or the caller's own. `src_pmi_id` is a hint and may be PMI2_ID_NULL. `vallen`: the
   value's length, or that negated if `maxvalue` bytes hold only a part of it. PMI2_FAIL: no such
   key. */
int PMI2_KVS_Get(const char* jobid, int src_pmi_id, const char key[], char value[], int maxvalue,
                 int* vallen);

/* Attributes of the job: universeSize, hasNameServ, and PMI_process_mapping, which gives ranks to
   nodes as "(vector,(first node,nodes,ranks of each),...)". `found`: 0 or 1. */
int PMI2_Info_GetJobAttr(const char name[], char value[], int valuelen, int* found);
int PMI2_Info_GetJobAttrIntArray(const char name[], int array[], int arraylen, int* outlen,
                                 int* found);
/* Attributes that the processes of a node tell each other, each once; `waitfor` nonzero waits until
   one of them has. localRanksCount and localRanks are there from the start. `outlen`: how many
   numbers there are, of which `arraylen` fit. */
int PMI2_Info_PutNodeAttr(const char name[], const char value[]);
int PMI2_Info_GetNodeAttr(const char name[], char value[], int valuelen, int* found, int waitfor);
int PMI2_Info_GetNodeAttrIntArray(const char name[], int array[], int arraylen, int* outlen,
                                  int* found);

/* Names of services within the job: seen by others behind the next PMI2_KVS_Fence. PMI2_FAIL: no
   such name. */
struct MPID_Info;
int PMI2_Nameserv_publish(const char service_name[], const struct MPID_Info* info,
                          const char port[]);
int PMI2_Nameserv_lookup(const char service_name[], const struct MPID_Info* info, char port[],
                         int port_length);
int PMI2_Nameserv_unpublish(const char service_name[], const struct MPID_Info* info);

#ifdef __cplusplus
} /* extern "C" */
#endif
