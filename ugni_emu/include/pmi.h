/* PMI, the process management interface: start-up data of a job's processes. */
/*
 * As Cray's libpmi offers it to C programs. Every function returns PMI_SUCCESS or PMI_FAIL.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define PMI_SUCCESS 0
#define PMI_FAIL (-1)

typedef enum { PMI_FALSE = 0, PMI_TRUE = 1 } PMI_BOOL;

int PMI_Init(int* spawned);
int PMI_Initialized(PMI_BOOL* initialized);
int PMI_Finalize(void);
int PMI_Get_rank(int* rank);
int PMI_Get_size(int* size);
/* Returns when every process of the job has called it. */
int PMI_Barrier(void);
/* Ends the job with `exit_code`; `message` goes to standard error. */
int PMI_Abort(int exit_code, const char message[]);
/* The job's processes on this node: how many, and their ranks (`length` of them). */
int PMI_Get_clique_size(int* size);
int PMI_Get_clique_ranks(int ranks[], int length);
/* `length` bytes from each process into `out`; the order is not that of the ranks. */
int PMI_Allgather(void* in, void* out, int length);
/* `length` bytes from rank 0 to all. */
int PMI_Bcast(void* buffer, int length);
/* The key-value space: what was put and committed can be read after a barrier. */
int PMI_KVS_Get_my_name(char name[], int length);
int PMI_KVS_Get_name_length_max(int* length);
int PMI_KVS_Put(const char name[], const char key[], const char value[]);
int PMI_KVS_Get(const char name[], const char key[], char value[], int length);
int PMI_KVS_Commit(const char name[]);

#ifdef __cplusplus
} /* extern "C" */
#endif
