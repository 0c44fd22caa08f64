// Messages of collectives: bytes between ranks of one communicator, in its collective context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/lineup.h"
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

/// One collective call's way to other ranks: all of the communicator, or a lineup of them, whose
/// numbers then take the ranks' place. Sizes are exact: a message of another size means
/// that ranks gave different arguments (MPI_ERR_TRUNCATE).
class Transfer {
 public:
  Transfer(RankState& rank, const Communicator& comm, Collective collective)
      : Transfer(rank, comm, collective, Lineup::range(0, comm.size(), comm.rank)) {}
  Transfer(RankState& rank, const Communicator& comm, Collective collective, const Lineup& lineup)
      : state_(&rank), comm_(&comm), lineup_(lineup), tag_(static_cast<int>(collective)) {}

  int rank() const { return lineup_.self(); }
  int size() const { return lineup_.size(); }
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
  Lineup lineup_;
  int tag_;
};

}  // namespace netmod
