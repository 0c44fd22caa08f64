// Broadcast along a chain, in segments.
#include <algorithm>
#include <vector>

#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/rotated.h"

namespace netmod::algorithm {

// Small enough that the chain fills soon, large enough that a segment takes longer than its
// latency.
constexpr std::int64_t segment_bytes = 65536;

void bcast_chain(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  const Rotated ranks(transfer, root);
  const bool last = ranks.rank() == ranks.size() - 1;
  std::vector<Request*> sends;
  for (std::int64_t offset = 0; offset < bytes; offset += segment_bytes) {
    const std::int64_t segment = std::min(segment_bytes, bytes - offset);
    if (ranks.rank() != 0) {
      transfer.receive(data + offset, segment, ranks.real(ranks.rank() - 1));
    }
    if (!last) {
      sends.push_back(transfer.start_send(data + offset, segment, ranks.real(ranks.rank() + 1)));
    }
  }
  for (Request* send : sends) transfer.finish_send(send);
}

}  // namespace netmod::algorithm
