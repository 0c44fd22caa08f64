// What happens to errors, and to calls made while MPI is not running.
#include "netmod/mpi/calls/call_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "netmod/mpi/calls/error_handlers.h"

namespace netmod {
namespace {

[[noreturn]] void end_job(RankState& rank, const char* function, const MpiError& error) {
  rank.job().abort(
      rank.process(), error.error_class,
      fmt::format("{}: {} ({})", function, error.what, error_class_name(error.error_class)));
  std::abort();  // the compiler does not trust a virtual [[noreturn]]
}

/// The program's function that hears of an error; null: the handler is a predefined one.
MPI_Comm_errhandler_function* function_of(RankState& rank, MPI_Errhandler handler) {
  const ErrorHandler* made = find_error_handler(rank, handler);
  return made == nullptr ? nullptr : made->function;
}

int handle(const char* function, MPI_Comm comm, MPI_Win window, const MpiError& error) {
  RankState* rank = this_rank_or_null();
  ErrorHearer hearer;
  MPI_Comm_errhandler_function* handler = nullptr;
  {
    const CallScope scope(function);
    hearer = rank->hearer(error.comm != MPI_COMM_NULL ? error.comm : comm, window);
    handler = function_of(*rank, hearer.handler);
    if (handler == nullptr && hearer.handler != MPI_ERRORS_RETURN) end_job(*rank, function, error);
  }
  int code = error.error_class;
  // The program's handler may call MPI: the lock is not held here. (Handles are integers: handlers
  // have the same type for all objects.)
  if (handler != nullptr) handler(&hearer.object, &code);
  return error.error_class;
}

/// "rank 7: " where a launcher has numbered this process, which is no rank yet.
std::string launchers_rank() {
  const std::vector<corespec::Setting> environment = corespec::environment();
  for (const char* name : {"PMIX_RANK", "ALPS_APP_PE"}) {
    const auto found = std::find_if(environment.begin(), environment.end(),
                                    [name](const auto& each) { return each.first == name; });
    if (found != environment.end()) return fmt::format("rank {}: ", found->second);
  }
  return {};
}

}  // namespace

MpiError error_of(std::exception_ptr caught) {
  try {
    std::rethrow_exception(std::exchange(caught, nullptr));
  } catch (const MpiError& thrown) {
    return thrown;
  } catch (const std::bad_alloc&) {
    return {MPI_ERR_NO_MEM, "out of memory", MPI_COMM_NULL};
  } catch (const std::exception& other) {
    return {MPI_ERR_INTERN, other.what(), MPI_COMM_NULL};
  }
}

bool errors_return(RankState& rank, MPI_Comm comm) {
  const MPI_Errhandler handler = rank.hearer(comm, MPI_WIN_NULL).handler;
  return handler == MPI_ERRORS_RETURN || function_of(rank, handler) != nullptr;
}

void report_not_running(const char* function) {
  corespec::Process* process = corespec::this_process_or_null();
  const bool ended = process != nullptr && process->state(corespec::Process::Slot::mpi) != nullptr;
  const char* when = ended ? "after MPI_Finalize" : "before MPI_Init";
  if (process == nullptr) {
    fmt::print(stderr, "castor: {}{} was called {}\n", launchers_rank(), function, when);
    std::exit(MPI_ERR_OTHER);
  }
  process->job().abort(*process, MPI_ERR_OTHER, fmt::format("{} was called {}", function, when));
  std::abort();
}

int handle_error(const char* function, MPI_Comm comm, const MpiError& error) {
  return handle(function, comm, MPI_WIN_NULL, error);
}

int handle_caught(const char* function, MPI_Comm comm, std::exception_ptr caught) {
  return handle_error(function, comm, error_of(std::move(caught)));
}

int handle_window_error(const char* function, MPI_Win window, const MpiError& error) {
  return handle(function, MPI_COMM_NULL, window, error);
}

int handle_window_caught(const char* function, MPI_Win window, std::exception_ptr caught) {
  return handle_window_error(function, window, error_of(std::move(caught)));
}

}  // namespace netmod
