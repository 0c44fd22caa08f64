/* PMI, the process management interface: start-up data of a job's processes. */
/*
 * As Cray's libpmi offers it to C programs. Every function returns PMI_SUCCESS, or:
 *   PMI_ERR_INVALID_ARG         null where a place for the answer belongs; no such rank or space
 *   PMI_ERR_INVALID_LENGTH      no room for the answer
 *   PMI_ERR_INVALID_KEY, _VAL   PMI_KVS_Put and PMI_KVS_Get: a null or empty key, a null value
 *   PMI_ERR_INVALID_KEY_LENGTH, _VAL_LENGTH   longer than the space holds
 *   PMI_FAIL                    everything else: PMI has ended, or there is no such key; what one
 *                               rank did wrong in a function that all call; PMI_Init without a
 *                               place for `spawned`
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define PMI_SUCCESS 0
#define PMI_FAIL (-1)
#define PMI_ERR_INIT 1
#define PMI_ERR_NOMEM 2
#define PMI_ERR_INVALID_ARG 3
#define PMI_ERR_INVALID_KEY 4
#define PMI_ERR_INVALID_KEY_LENGTH 5
#define PMI_ERR_INVALID_VAL 6
#define PMI_ERR_INVALID_VAL_LENGTH 7
#define PMI_ERR_INVALID_LENGTH 8
#define PMI_ERR_INVALID_NUM_ARGS 9
#define PMI_ERR_INVALID_ARGS 10
#define PMI_ERR_INVALID_NUM_PARSED 11
#define PMI_ERR_INVALID_KEYVALP 12
#define PMI_ERR_INVALID_SIZE 13

/* Macros: programs ask by #ifdef PMI_TRUE whether they have to define the type themselves. */
#define PMI_FALSE 0
#define PMI_TRUE 1
typedef int PMI_BOOL;

/* Starts; `spawned` is PMI_FALSE always. May be called again, and PMI_Finalize then as often. Any
   other call but PMI_Initialized starts PMI, too, if nothing has. The others fail after the last
   PMI_Finalize, unless MPI is initialised. */
int PMI_Init(int* spawned);
int PMI_Initialized(PMI_BOOL* initialized);
int PMI_Finalize(void);
int PMI_Get_rank(int* rank);
int PMI_Get_size(int* size);
/* As many as PMI_Get_size gives: there is no room for more. */
int PMI_Get_universe_size(int* size);
/* Which of the programs of the job this is; there is one, 0. */
int PMI_Get_appnum(int* appnum);
/* The caller's number in its program, that program's processes on the caller's node, and all of
   program `appnum`, 0. As there is one program, they are the job's. */
int PMI_Get_rank_in_app(int* rank);
int PMI_Get_numpes_in_app_on_smp(int* count);
int PMI_Get_app_size(int appnum, int* size);
/* Returns when every process of the job has called it. */
int PMI_Barrier(void);
/* Ends the job with `exit_code`; `message` goes to standard error. */
int PMI_Abort(int exit_code, const char message[]);
/* The job's processes on this node: how many, and their ranks (`length` of them, or it fails). */
int PMI_Get_clique_size(int* size);
int PMI_Get_clique_ranks(int ranks[], int length);
/* The same number and the same ranks under their other names. */
int PMI_Get_numpes_on_smp(int* count);
int PMI_Get_pes_on_smp(int ranks[], int length);
/* The node (nid) of a rank. */
int PMI_Get_nid(int rank, int* nid);
/* Those of all ranks: an array of int by rank. PMI keeps it until the process ends. */
int PMI_Get_nidlist_ptr(void** nids);
/* `length` bytes from each process into `out`. The order is the same in all processes, but not
   that of the ranks: a program that needs it exchanges ranks first. Fails in all of them if the
   length is not the same in all, or one gives a null pointer. */
int PMI_Allgather(void* in, void* out, int length);
/* The same among the processes of the caller's node: only they wait for each other. The order is
   the same in each call, but need not be that of the ranks nor that of PMI_Allgather. */
int PMI_Allgather_on_smp(void* in, void* out, int length);
/* The same of lengths of each process's own: `lengths` has them by rank, the same in all, and
   `length` is the caller's. The data lie in `out` in the order of the ranks. Fails in all if one's
   length is not what the others expect. */
int PMI_Allgatherv(void* in, int length, void* out, int* lengths);
/* `length` bytes from rank 0 to all. Fails in all if one gives a null pointer, and in those whose
   length is not rank 0's. */
int PMI_Bcast(void* buffer, int length);
/* Version of the library; arguments must not be null. */
int PMI_Get_version_info(int* major, int* minor, int* revision);
/* The job's name, the same in all its processes. `length`s hold the final zero. */
int PMI_Get_id(char id[], int length);
int PMI_Get_id_length_max(int* length);
/* The same name: a job is one domain of key-value spaces. */
int PMI_Get_kvs_domain_id(char id[], int length);
/* Names of services within the job: seen by others behind the next PMI_Barrier. PMI_ERR_INVALID_KEY
   and PMI_ERR_INVALID_VAL as of keys and values, PMI_FAIL: no such name. `port` has room for
   PMI2_MAX_VALLEN bytes (pmi2.h). */
int PMI_Publish_name(const char service_name[], const char port[]);
int PMI_Lookup_name(const char service_name[], char port[]);
int PMI_Unpublish_name(const char service_name[]);
/* The key-value space: what was put and committed can be read after a barrier. It has one space,
   named as PMI_KVS_Get_my_name says. */
int PMI_KVS_Get_my_name(char name[], int length);
int PMI_KVS_Get_name_length_max(int* length);
int PMI_KVS_Get_key_length_max(int* length);
int PMI_KVS_Get_value_length_max(int* length);
int PMI_KVS_Put(const char name[], const char key[], const char value[]);
int PMI_KVS_Get(const char name[], const char key[], char value[], int length);
int PMI_KVS_Commit(const char name[]);

#ifdef __cplusplus
} /* extern "C" */
#endif
