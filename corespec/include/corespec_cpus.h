/* Core specialization, as a program sees it. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Asks that the calling thread be scheduled on the node's service CPUs, those that `aprun -r`
 * sets aside, as Cray's CoreSpec let threads do that mostly sleep until an interrupt. Returns 1
 * if it moved, 0 if the node has no service CPUs. Absent (null) outside Castor: test its address
 * before the call. */
int castor_use_service_cpus(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif
