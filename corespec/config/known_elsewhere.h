// Variables that Cray's, MPICH's and other MPI software have, and Castor has not.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace corespec {

/// Variables of the libraries that Castor stands in for; here they have no effect.
constexpr std::string_view without_effect_here[] = {"ARMCI_DEFAULT_SHMMAX",
                                                    "DMAPP_ABORT",
                                                    "MPICH_ABORT_ON_ERROR",
                                                    "MPICH_ALLGATHERV_VSHORT_MSG",
                                                    "MPICH_ALLGATHER_VSHORT_MSG",
                                                    "MPICH_ALLOC_MEM_HUGE_PAGES",
                                                    "MPICH_ALLREDUCE_NO_SMP",
                                                    "MPICH_ALLTOALLV_THROTTLE",
                                                    "MPICH_ALLTOALL_SHORT_MSG",
                                                    "MPICH_ALLTOALL_SYNC_FREQ",
                                                    "MPICH_BCAST_INTERNODE_RADIX",
                                                    "MPICH_BCAST_INTRANODE_RADIX",
                                                    "MPICH_BCAST_ONLY_TREE",
                                                    "MPICH_COLL_OPT_OFF",
                                                    "MPICH_COLL_SYNC",
                                                    "MPICH_CPU_YIELD",
                                                    "MPICH_DBMASK",
                                                    "MPICH_DMAPP_APP_IS_WORLD",
                                                    "MPICH_G2G_PIPELINE",
                                                    "MPICH_GATHERV_SHORT_MSG",
                                                    "MPICH_GNI_ASYNC_PROGRESS_TIMEOUT",
                                                    "MPICH_GNI_BTE_MULTI_CHANNEL",
                                                    "MPICH_GNI_DATAGRAM_TIMEOUT",
                                                    "MPICH_GNI_DMAPP_INTEROP",
                                                    "MPICH_GNI_DYNAMIC_CONN",
                                                    "MPICH_GNI_FORK_MODE",
                                                    "MPICH_GNI_HUGEPAGE_SIZE",
                                                    "MPICH_GNI_LMT_GET_PATH",
                                                    "MPICH_GNI_LMT_PATH",
                                                    "MPICH_GNI_MALLOC_FALLBACK",
                                                    "MPICH_GNI_MAX_NUM_RETRIES",
                                                    "MPICH_GNI_MBOXES_PER_BLOCK",
                                                    "MPICH_GNI_MBOX_PLACEMENT",
                                                    "MPICH_GNI_MDD_SHARING",
                                                    "MPICH_GNI_MEM_DEBUG_FNAME",
                                                    "MPICH_GNI_NDREG_LMT",
                                                    "MPICH_GNI_ROUTING_MODE",
                                                    "MPICH_GNI_SUPPRESS_PROC_FILE_WARNINGS",
                                                    "MPICH_MEMORY_REPORT",
                                                    "MPICH_MEMORY_REPORT_FILE",
                                                    "MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY",
                                                    "MPICH_MPIIO_CB_ALIGN",
                                                    "MPICH_MPIIO_DVS_MAXNODES",
                                                    "MPICH_MPIIO_HINTS",
                                                    "MPICH_MPIIO_HINTS_DISPLAY",
                                                    "MPICH_MPIIO_STATS",
                                                    "MPICH_MPIIO_TIMERS",
                                                    "MPICH_MSG_QUEUE_DBG",
                                                    "MPICH_NEMESIS_ON_NODE_ASYNC_OPT",
                                                    "MPICH_NO_BUFFER_ALIAS_CHECK",
                                                    "MPICH_OPTIMIZED_MEMCPY",
                                                    "MPICH_RANK_ORDER",
                                                    "MPICH_RDMA_ENABLED_CUDA",
                                                    "MPICH_REDUCE_NO_SMP",
                                                    "MPICH_RMA_OVER_DMAPP",
                                                    "MPICH_SCATTERV_SHORT_MSG",
                                                    "MPICH_SHARED_MEM_COLL_OPT",
                                                    "MPICH_SMP_SINGLE_COPY_OFF",
                                                    "MPICH_UNEX_BUFFER_SIZE",
                                                    "MPICH_USE_DMAPP_COLL"};

/// Variables that compiling and installing use: our wrappers' compilers, and where an MPICH is.
constexpr std::string_view of_build_tools[] = {"MPICH_CC", "MPICH_CXX", "MPICH_F77",  "MPICH_F90",
                                               "MPICH_FC", "MPICH_DIR", "MPICH_HOME", "MPICH_ROOT"};

inline bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace corespec
