// One call that is being recorded, and MPI's values as the trace has them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "apps/traces/record/recorder.h"

namespace dumpi_record {

using dumpi::Label;
using dumpi::Value;

/// A call of the table: made at its entry.
class Timed {
 public:
  explicit Timed(Label label) : label_(label), entry_(Moment::now()) {}

  /// MPI's function has returned `result`, which this returns.
  template <typename Result>
  Result returned(Result result) {
    exit_ = Moment::now();
    return result;
  }
  /// Records the call unless it has failed: then nothing has happened that a trace could say.
  int record(int code, std::vector<Value> values);
  void record(std::vector<Value> values);
  /// A poll that has found nothing.
  void ignore() { Recorder::own().ignore(label_); }

  const Moment& entry() const { return entry_; }

 private:
  Label label_;
  Moment entry_;
  Moment exit_;
};

/// ANY_SOURCE is -1 in a trace, ROOT -2. For PROC_NULL the format has no number; here it is -3.
int rank_number(int rank);
int comm(MPI_Comm handle);
int type(MPI_Datatype handle);
/// Of an argument that means nothing if `used` is false.
int type_if(bool used, MPI_Datatype handle);
int op(MPI_Op handle);
int group(MPI_Group handle);
int win(MPI_Win handle);
/// What does not fit 32 bits is the next value that does.
std::int32_t narrow(MPI_Aint value);
/// The format's number of a thread level.
int thread_level(int level);

/// `count` numbers; zeros if there are none, or none that mean something.
std::vector<std::int32_t> numbers(const int* values, int count, bool used = true);

/// A program's own view of a communicator, as the trace's calls with a root have it.
struct Members {
  explicit Members(MPI_Comm comm);
  int rank = 0;
  int size = 0;  ///< of an intercommunicator: of the other group
  bool inter = false;
  /// Of a call with this root: at an intercommunicator's root that, at others' what is no root.
  int rank_for(int root) const;
};

/// None if the program ignores it.
std::vector<dumpi::Status> status(const MPI_Status* given);
/// `count` of them. Their error fields mean something only if the call returned MPI_ERR_IN_STATUS.
std::vector<dumpi::Status> statuses(const MPI_Status* given, int count, int code);

/// Requests of a call that may complete them. Made before the call, destroyed when it has been
/// recorded: the numbers of those that are null then are free for others.
class Requests {
 public:
  Requests(const MPI_Request* requests, int count);
  ~Requests();
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  const std::vector<std::int32_t>& numbers() const { return numbers_; }

 private:
  std::span<const MPI_Request> now_;
  std::vector<MPI_Request> before_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace dumpi_record
