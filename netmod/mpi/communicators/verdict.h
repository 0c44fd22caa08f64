// What is wrong with a rank's part of a collective call, for all of its ranks to hear.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {

/// Of a call that ranks meet in: if one returned at once because of an error of its own, the others
/// would wait for it for ever. So it goes on, without doing its part, and tells them. Where errors
/// end the job an error does so at once.
class Verdict {
 public:
  Verdict() = default;
  Verdict(RankState& rank, const Communicator& comm) : keeps_(errors_return(rank, comm.handle)) {}

  /// Runs `body`, which may throw, unless something was wrong before.
  template <class Body>
  void check(Body&& body) {
    if (!good()) return;
    if (!keeps_) return body();
    try {
      body();
    } catch (const MpiError&) {
      own_ = error_of(std::current_exception());
    } catch (const std::exception&) {
      own_ = error_of(std::current_exception());
    }
  }

  bool good() const { return !own_.has_value(); }
  /// Of this rank's error; MPI_SUCCESS.
  int error_class() const { return good() ? MPI_SUCCESS : own_->error_class; }
  /// Once all have heard that the call has failed, `error_class` at one of them: throws this rank's
  /// own error, or that.
  [[noreturn]] void fail(int error_class) const {
    if (!good()) throw MpiError(*own_);
    netmod::fail(error_class, "another rank's part in the call has failed");
  }

 private:
  bool keeps_ = false;
  std::optional<MpiError> own_;
};

}  // namespace netmod
