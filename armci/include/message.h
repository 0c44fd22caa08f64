/* ARMCI's message-passing layer: messages and collectives beside the program's own MPI. */
/*
 * Ranks are MPI_COMM_WORLD's; tags are this layer's own. Operations ("op"): + * max min absmax
 * absmin or, and land lor band bor; types are those below. Reductions work in place.
 */
#pragma once

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CASTOR_ARMCI_CLASSIC
enum {
  ARMCI_INT = -99,
  ARMCI_LONG = -101,
  ARMCI_LONG_LONG = -102,
  ARMCI_FLOAT = -306,
  ARMCI_DOUBLE = -307
};
enum { SCOPE_ALL = 333, SCOPE_NODE = 337, SCOPE_MASTERS = 339 };
#else
enum { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };
enum { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };
#endif

/* Start and stop MPI itself, for programs that leave it to ARMCI. */
void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code);
void armci_msg_barrier(void); /* only that: see ARMCI_Barrier */
void armci_msg_group_barrier(ARMCI_Group* group);
/* Blocking; `len` and `buflen` in bytes. `msglen` may be null. */
void armci_msg_snd(int tag, void* buf, int len, int to);
void armci_msg_rcv(int tag, void* buf, int buflen, int* msglen, int from);
int armci_msg_rcvany(int tag, void* buf, int buflen, int* msglen); /* the rank that sent it */

void armci_msg_bcast(void* buf, int len, int root);
void armci_msg_brdcst(void* buf, int len, int root);
/* SCOPE_ALL, among a node's ranks (SCOPE_NODE), or the lowest of each node (SCOPE_MASTERS). */
void armci_msg_bcast_scope(int scope, void* buf, int len, int root);
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);
void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right); /* -1: none */
void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);
void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);
/* To rank 0 (of the scope): the others' x is left as it was. */
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);
/* Of the records of `n` bytes that contribute, the one whose first element is largest ("max") or
 * smallest ("min"), on every rank. */
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_clus_brdcst(void* buf, int len);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);
/* Every rank's entry of a table of addresses, on all. */
void armci_exchange_address(void* ptr_ar[], int n);
void armci_exchange_address_grp(void* ptr_ar[], int n, ARMCI_Group* group);
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* group);
double armci_timer(void); /* seconds */

#ifdef __cplusplus
} /* extern "C" */
#endif
