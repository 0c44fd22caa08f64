// A non-blocking collective: the steps that the blocking one takes, done as messages come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "netmod/device/interface/device.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {

class RankState;

/// The algorithms of collectives do the same whatever the data are, so that a non-blocking call
/// runs the blocking one's code with its messages, reductions and copies written down instead of
/// done (see Transfer). Steps follow each other; messages between two fences are under way
/// together. Any thread that makes progress for the rank, a progress thread too, takes the steps
/// that have become possible. A request like the device's: complete after the last step.
class Schedule final : public Request {
 public:
  /// `tag` tells its messages from those of the communicator's other collectives.
  Schedule(RankState& rank, int tag) : rank_(&rank), tag_(tag) {
    envelope = {any_source, any_tag, 0};  // what its status says
  }
  ~Schedule();
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  int tag() const { return tag_; }
  /// The MPI function that it is of, and which of the communicator's collective calls that was: for
  /// people.
  void set_call(const char* function, std::uint32_t number) {
    function_ = function;
    number_ = number;
  }
  const char* function() const { return function_; }
  std::uint32_t number() const { return number_; }

  /// From now on it sends empty messages (see CollectiveCall::fail_late). Its request ends with an
  /// error.
  void fail(int error_class = MPI_ERR_TRUNCATE) {
    truncated_ = true;
    if (error_ == MPI_SUCCESS) error_ = error_class;
  }
  int error() const { return error_; }
  /// Once it has ended with an error: undoes what was made for it.
  void if_it_fails(std::function<void()> undo) { undo_ = std::move(undo); }
  void undo_if_failed() const {
    if (error_ != MPI_SUCCESS && undo_) undo_();
  }

  // Writing down. Memory that steps name has to last until the end: the program's, or memory().
  void send(const void* data, std::int64_t length, int job_rank, const Envelope& label);
  void receive(void* data, std::int64_t length, const Envelope& label);
  /// What follows begins when the messages before have arrived and left.
  void fence();
  void reduce(const Reduction& reduction, const std::byte* in, std::byte* inout,
              std::int64_t count);
  void copy(std::byte* to, const std::byte* from, std::int64_t length);
  /// The modelled cost of copying.
  void charge_copy(std::int64_t length);
  /// The action may write down further steps.
  void call(std::function<void()> action);
  /// Uninitialised memory, as long as the schedule.
  std::byte* memory(std::int64_t length);
  /// Something else that has to last as long.
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }

  /// Takes all steps that are possible now. True if that was the last one.
  bool advance();

 private:
  enum class Kind : std::uint8_t { send, receive, fence, reduce, copy, charge_copy, call };
  struct Step {
    Kind kind = Kind::fence;
    int job_rank = 0;
    Envelope envelope;
    const void* from = nullptr;
    void* to = nullptr;
    std::int64_t bytes = 0;      ///< reduce: elements
    std::size_t which = 0;       ///< of calls_
    Request* request = nullptr;  ///< of a message under way
  };

  /// False: messages before this step are still under way.
  bool take(Step& step);
  bool finish_messages();

  RankState* rank_;
  int tag_;
  std::uint32_t number_ = 0;
  const char* function_ = "a collective";
  int error_ = MPI_SUCCESS;
  std::function<void()> undo_;
  std::vector<Step> steps_;
  std::size_t next_ = 0;                ///< step
  std::size_t first_open_ = 0;          ///< step since which messages have not been looked at
  Condition messages_;                  ///< those under way
  std::optional<Reduction> reduction_;  ///< a collective has one
  std::vector<std::function<void()>> calls_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace netmod
