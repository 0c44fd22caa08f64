// What one communication domain's transfers did: for the reports of the libraries above.
#pragma once

#include <cstdint>

#include "corespec/time/time.h"

namespace nic {

struct NicStatistics {
  std::uint64_t local_events = 0;     ///< put into this domain's queues for its own posts
  std::uint64_t remote_events = 0;    ///< put into this domain's queues by others
  std::uint64_t fma_descriptors = 0;  ///< posted through GNI_PostFma
  std::uint64_t bte_descriptors = 0;  ///< posted through GNI_PostRdma
  std::uint64_t cq_writes = 0;        ///< posted through GNI_PostCqWrite
  std::uint64_t messages = 0;         ///< sent through GNI_SmsgSend*
  std::uint64_t credit_returns = 0;   ///< transactions that gave mailbox credits back
  std::uint64_t fence_stalls = 0;     ///< a fenced descriptor held another one back
  corespec::Time fence_stalled;       ///< for how long, in all
  std::uint64_t overruns = 0;         ///< events lost because a queue was full
  std::uint64_t errors = 0;           ///< transactions that the target refused
  std::uint64_t interrupts = 0;       ///< raised for blocking queues (before coalescing)
};

}  // namespace nic
