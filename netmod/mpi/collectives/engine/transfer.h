// Messages of collectives: bytes between ranks of one communicator, in its collective context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/collective_state.h"
#include "netmod/mpi/collectives/engine/lineup.h"
#include "netmod/mpi/collectives/engine/schedule.h"
#include "netmod/mpi/collectives/rules/choice.h"
#include "netmod/mpi/datatypes/bytes.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {

/// Which collective a message belongs to: its tag. (Calls follow each other in the same order on
/// all ranks and messages do not overtake, so one tag per collective is enough; non-blocking ones,
/// of which several can be under way, have one each.)
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
  reduce_scatter,
  neighbourhood,
  remote,  ///< between the groups of an intercommunicator
};

// Other tags, above those of schedules: what a schedule sends to the other group, and the making of
// communicators that not all members of the one whose context serves take part in.
constexpr int remote_schedule_tags = 1 << 25;
constexpr int create_group_tags = 1 << 26;
constexpr int create_intercommunicator_tags = 1 << 27;

/// Memory of an algorithm: its own, or the schedule's that it writes.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(Bytes own) : own_(std::move(own)), data_(own_.get()) {}
  explicit Scratch(std::byte* data) : data_(data) {}
  std::byte* get() const { return data_; }

 private:
  Bytes own_;
  std::byte* data_ = nullptr;
};

/// What went wrong in a collective that goes on nevertheless.
struct LateFailure {
  std::unique_ptr<MpiError> error;  ///< the first one (a pointer: stacks are small)

  void note(const MpiError& now) {
    if (error == nullptr) error = std::make_unique<MpiError>(now);
  }
  /// At the call's end.
  void report() const {
    if (error != nullptr) [[unlikely]]
      throw MpiError(*error);
  }
};

/// A collective call: done at once, or written down.
struct CollectiveCall {
  RankState& rank;
  const Communicator& comm;
  Schedule* schedule = nullptr;    ///< of a non-blocking call
  LateFailure* failure = nullptr;  ///< null: what goes wrong is thrown at once

  /// The ranks gave arguments that do not fit together. The call goes on, so that no other rank
  /// waits for ever, but what it sends from now on is empty: its receivers hear of the failure,
  /// too.
  void fail_late(const MpiError& error) const;
  bool failed() const { return failure != nullptr && failure->error != nullptr; }

  /// What is no message: now, or when its turn comes. No cost is charged for copy().
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes) const;
  void charge_copy(std::int64_t bytes) const;
  void reduce(const Reduction& reduction, const std::byte* in, std::byte* inout,
              std::int64_t count) const;
  /// Packed bytes to where they belong.
  void unpack(const TypeView& type, const std::byte* packed, std::int64_t bytes, void* data) const;
  Scratch memory(std::int64_t bytes) const;
};

/// A collective call's way to other ranks: all of the communicator, or a lineup of them, whose
/// numbers then take the ranks' place. The call outlives it. Sizes are exact: a message of another
/// size means that ranks gave different arguments: the call fails late (MPI_ERR_TRUNCATE).
class Transfer {
 public:
  Transfer(const CollectiveCall& call, Collective collective)
      : Transfer(call, collective, Lineup::range(0, call.comm.size(), call.comm.rank)) {}
  Transfer(const CollectiveCall& call, Collective collective, const Lineup& lineup,
           Scope scope = Scope::all)
      : Transfer(call, lineup, tag_of(call, collective), false) {
    scope_ = scope;
  }
  /// To the other group of an intercommunicator, whose ranks it names.
  static Transfer remote(const CollectiveCall& call);
  /// With a tag of its own; among the ranks that point-to-point calls name if there is no lineup.
  static Transfer tagged(const CollectiveCall& call, int tag, const Lineup& lineup) {
    return {call, lineup, tag, false};
  }
  static Transfer tagged(const CollectiveCall& call, int tag);

  int rank() const { return lineup_.self(); }
  int size() const { return lineup_.size(); }
  const CollectiveCall& call() const { return *call_; }
  /// What rules are asked about a collective of these ranks.
  Question question(CollectiveKind kind, std::int64_t bytes) const {
    return {kind, scope_, size(), bytes};
  }
  Algorithm choose(const Question& question) const {
    const std::vector<Rule>* const own = call_->rank.own_rules();
    return netmod::choose(own == nullptr ? std::span<const Rule>() : *own, question);
  }

  void send(const void* data, std::int64_t bytes, int to) const;
  void receive(void* data, std::int64_t bytes, int from) const;
  /// Both at once.
  void exchange(const void* out, std::int64_t out_bytes, int to, void* in, std::int64_t in_bytes,
                int from) const;

  /// Null if written down.
  Request* start_send(const void* data, std::int64_t bytes, int to,
                      DataStays stays = DataStays::until_complete) const;
  Request* start_receive(void* data, std::int64_t bytes, int from) const;
  /// Not of a call that is written down.
  Request* start_receive(Sink& sink, std::int64_t bytes, int from) const;
  /// Waits for a started message; finish() is to follow.
  void wait(Request* request) const;
  /// Waits for a started message and gives its request back. False: it had another size.
  bool finish(Request* request, std::int64_t bytes) const;
  void finish_send(Request* request) const;
  /// Both of an exchange; what it says is of what is received.
  bool finish_exchange(Request* receiving, std::int64_t bytes, Request* sending) const;
  void fail_size(std::int64_t bytes, int from) const;

 private:
  Transfer(const CollectiveCall& call, const Lineup& lineup, int tag, bool remote)
      : call_(&call), lineup_(lineup), tag_(tag), remote_(remote) {}
  Envelope envelope_from(int from) const {
    return {lineup_.at(from), tag_, call_->comm.collective_context()};
  }
  static int tag_of(const CollectiveCall& call, Collective collective);

  const CollectiveCall* call_;
  Lineup lineup_;
  int tag_;
  bool remote_;
  Scope scope_ = Scope::all;
};

}  // namespace netmod
