/* A check that is compiled in ARMCI's classic dialect. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* To be called by every rank of three; what was wrong, or null. */
const char* classic_dialect_check(int rank);

#ifdef __cplusplus
}
#endif
