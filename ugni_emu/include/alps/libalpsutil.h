/* ALPS: placement of a job's processes. Link with -lalpsutil. */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

#include "alps_toolAssist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the processes of job `apid`, the caller's own, are. `layout` and each array may be null:
   it is not wanted then. Arrays are the caller's to free(). Returns 1; -1 with errno: ESRCH (no
   such job, or none at all), ENOMEM.
     placement_list                       numPes entries: the nid of each PE
     target_nids, target_pes, target_len, target_ips
                                          numTargets entries, so none: a null pointer
     start_pe, total_pes, node_pes, pe_cpus
                                          numCmds entries: the program's first PE, its PEs, the most
                                          PEs that a node has, the CPUs of each */
int alps_get_placement_info(uint64_t apid, alpsAppLayout_t* layout, int** placement_list,
                            int** target_nids, int** target_pes, int** target_len,
                            struct in_addr** target_ips, int** start_pe, int** total_pes,
                            int** node_pes, int** pe_cpus);

#ifdef __cplusplus
} /* extern "C" */
#endif
