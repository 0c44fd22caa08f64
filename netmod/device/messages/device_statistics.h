// What the device counts, for MPICH_GNI_ASYNC_PROGRESS_STATS and for tests.
#pragma once

#include <cstdint>

namespace netmod {

struct DeviceStatistics {
  std::uint64_t eager_mailbox = 0;   ///< E0 messages sent
  std::uint64_t eager_buffered = 0;  ///< E1 messages sent
  std::uint64_t intra_node = 0;      ///< messages within the node
  std::uint64_t rts_sent = 0;
  std::uint64_t reads = 0;     ///< R0: GETs posted
  std::uint64_t cts_sent = 0;  ///< R1
  std::uint64_t writes = 0;    ///< R1: PUTs posted
  std::uint64_t send_dones = 0;
  std::uint64_t receive_dones = 0;
  std::uint64_t data_descriptors = 0;    ///< posted for rendezvous data, dummies included
  std::uint64_t dummy_writes = 0;        ///< phase one
  std::uint64_t cq_writes = 0;           ///< behind control messages, to wake the peer's thread
  std::uint64_t thread_wakeups = 0;      ///< returns of the progress thread's wait
  std::uint64_t immediate_resleeps = 0;  ///< an application thread was in the engine already
  std::uint64_t events_moved = 0;        ///< phase two: from the blocking TX CQ to the list
  std::uint64_t connections = 0;
};

}  // namespace netmod
