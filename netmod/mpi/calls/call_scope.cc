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
#include "netmod/mpi/windows/window.h"

namespace netmod {
namespace {

[[noreturn]] void end_job(RankState& rank, const char* function, const MpiError& error) {
  rank.job().abort(
      rank.process(), error.error_class,
      fmt::format("{}: {} ({})", function, error.what, error_class_name(error.error_class)));
  std::abort();  // the compiler does not trust a virtual [[noreturn]]
}

/// The handler that hears of the error, and its communicator or window.
struct Hearing {
  int object = MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  MPI_Comm_errhandler_function* function = nullptr;
};

/// As in MPICH the handler that MPI_COMM_WORLD has now stands for one that was never set.
Hearing find_handler(RankState& rank, MPI_Comm comm, MPI_Win window) {
  Hearing hearing{MPI_COMM_WORLD, MPI_ERRHANDLER_NULL, nullptr};
  if (const auto* found = rank.extras().windows.find(window)) {
    hearing = {window, (*found)->error_handler, nullptr};
  } else if (const Communicator* on = rank.find_communicator(comm)) {
    hearing = {comm, on->error_handler, nullptr};
  }
  if (hearing.handler == MPI_ERRHANDLER_NULL) {
    hearing = {MPI_COMM_WORLD, rank.world().error_handler, nullptr};
  }
  if (const ErrorHandler* made = rank.error_handlers.find(hearing.handler)) {
    hearing.function = made->function;
  }
  return hearing;
}

int handle(const char* function, MPI_Comm comm, MPI_Win window, const MpiError& error) {
  RankState* rank = this_rank_or_null();
  Hearing hearing;
  {
    const CallScope scope(function);
    hearing = find_handler(*rank, error.comm != MPI_COMM_NULL ? error.comm : comm, window);
    if (hearing.function == nullptr && hearing.handler != MPI_ERRORS_RETURN) {
      end_job(*rank, function, error);
    }
  }
  int code = error.error_class;
  // The program's handler may call MPI: the lock is not held here. (Handles are integers: handlers
  // have the same type for all objects.)
  if (hearing.function != nullptr) hearing.function(&hearing.object, &code);
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
  const Hearing hearing = find_handler(rank, comm, MPI_WIN_NULL);
  return hearing.function != nullptr || hearing.handler == MPI_ERRORS_RETURN;
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
