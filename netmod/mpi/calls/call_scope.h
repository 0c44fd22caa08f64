// The entry of every MPI call: the calling rank, is MPI running, the library's lock, errors.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "corespec/threads/thread.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

/// Ends the job (or the program, where there is no rank): a call outside MPI_Init ... Finalize.
[[noreturn]] void report_not_running(const char* function);
/// Hands an error to the error handler; returns the code to return.
int handle_error(const char* function, MPI_Comm comm, const MpiError& error);
/// The same for a caught MpiError or what else went wrong below (no memory, a system call).
int handle_caught(const char* function, MPI_Comm comm, std::exception_ptr caught);
/// The same for errors of calls on windows, whose error handler is asked (a window that is none:
/// the world's).
int handle_window_error(const char* function, MPI_Win window, const MpiError& error);
int handle_window_caught(const char* function, MPI_Win window, std::exception_ptr caught);

/// What a caught exception means.
MpiError error_of(std::exception_ptr caught);
/// Whether the program goes on after an error of a call on `comm`: its error handler returns, or is
/// the program's own.
bool errors_return(RankState& rank, MPI_Comm comm);

/// The calling rank's state with the library's lock held.
class CallScope {
 public:
  explicit CallScope(const char* function) : library_call_(function), rank_(this_rank_or_null()) {
    if (rank_ == nullptr || rank_->finalized()) [[unlikely]]
      report_not_running(function);
    if (rank_->locked()) locked_ = rank_->take_lock();
  }
  ~CallScope() {
    if (locked_) rank_->give_lock();
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  RankState& rank() const { return *rank_; }

 private:
  corespec::LibraryCall library_call_;
  RankState* rank_;
  bool locked_ = false;
};

/// Runs `body(RankState&)` as the MPI function `function`; what it throws, or null. (Only that: the
/// frame is on every rank's stack.)
template <class Body>
std::exception_ptr run_call(const char* function, Body&& body) {
  const CallScope scope(function);
  try {
    body(scope.rank());
    return nullptr;
  } catch (const MpiError&) {
    return std::current_exception();
  } catch (const std::exception&) {
    return std::current_exception();
  }
}

/// The same on `comm`, whose error handler is asked about errors (MPI_COMM_NULL: the world's).
/// Returns MPI_SUCCESS or the error's class.
template <class Body>
int call(const char* function, MPI_Comm comm, Body&& body) {
  std::exception_ptr caught = run_call(function, body);
  return caught == nullptr ? MPI_SUCCESS : handle_caught(function, comm, std::move(caught));
}

template <class Body>
int call(const char* function, Body&& body) {
  return call(function, MPI_COMM_NULL, body);
}

}  // namespace netmod

/// Defines the weak name MPI_x of a PMPI_x defined in the same file.
#define NETMOD_PUBLISH(name) \
  extern "C" decltype(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))
