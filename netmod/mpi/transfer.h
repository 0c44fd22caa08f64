// Messages of collectives: bytes between ranks of one communicator, in its collective context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/rank_state.h"

namespace netmod {

/// Which collective a message belongs to: its tag. (Calls follow each other in the same order on
/// all ranks and messages do not overtake, so one tag per collective is enough.)
enum class Collective : int {
  barrier = 1,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  scan,
};

/// One collective call's way to the other ranks. Sizes are exact: a message of another size means
/// that ranks gave different arguments (MPI_ERR_TRUNCATE).
class Transfer {
 public:
  Transfer(RankState& rank, const Communicator& comm, Collective collective)
      : state_(&rank), comm_(&comm), tag_(static_cast<int>(collective)) {}

  int rank() const { return comm_->rank; }
  int size() const { return comm_->size(); }
  RankState& state() const { return *state_; }

  void send(const void* data, std::int64_t bytes, int to) const;
  void receive(void* data, std::int64_t bytes, int from) const;
  /// Both at once.
  void exchange(const void* out, std::int64_t out_bytes, int to, void* in, std::int64_t in_bytes,
                int from) const;

  Request* start_send(const void* data, std::int64_t bytes, int to) const;
  Request* start_receive(void* data, std::int64_t bytes, int from) const;
  /// Waits for a started message and gives its request back. False: it had another size.
  bool finish(Request* request, std::int64_t bytes) const;
  [[noreturn]] void fail_size(std::int64_t bytes, int from) const;

 private:
  RankState* state_;
  const Communicator* comm_;
  int tag_;
};

}  // namespace netmod
