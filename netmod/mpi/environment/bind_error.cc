// MPI functions: error handlers, and what error codes mean.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/calls/error_handlers.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/windows/window_call.h"

namespace netmod {
namespace {

bool is_predefined(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
}

void check_error_handler(RankState& rank, MPI_Errhandler handler) {
  if (is_predefined(handler) || find_error_handler(rank, handler) != nullptr) return;
  fail_handle(MPI_ERR_ARG, handler, MPI_ERRHANDLER_NULL, "errhandler", "MPI_ERRHANDLER_NULL",
              "an error handler");
}

int create(const char* function, MPI_Comm_errhandler_function* handler,
           MPI_Errhandler* errhandler) {
  return call(function, [&](RankState& rank) {
    if (handler == nullptr) fail_pointer("function");
    check_pointer(errhandler, "errhandler");
    ErrorHandler* made = rank.errors().handlers.add(*errhandler);
    if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many error handlers");
    *made = {handler, 1};
  });
}

/// Replaces an object's handler; a further use of it.
void replace(RankState& rank, MPI_Errhandler& handler, MPI_Errhandler by) {
  check_error_handler(rank, by);
  keep_error_handler(rank, by);
  drop_error_handler(rank, handler);
  handler = by;
}
void use(RankState& rank, MPI_Errhandler handler, MPI_Errhandler* errhandler) {
  check_pointer(errhandler, "errhandler");
  *errhandler = handler == MPI_ERRHANDLER_NULL ? MPI_ERRORS_ARE_FATAL : handler;
  keep_error_handler(rank, handler);
}

int set(const char* function, MPI_Comm comm, MPI_Errhandler errhandler) {
  return call(function, comm, [&](RankState& rank) {
    replace(rank, rank.communicators().named(comm).error_handler, errhandler);
  });
}

int get(const char* function, MPI_Comm comm, MPI_Errhandler* errhandler) {
  return call(function, comm, [&](RankState& rank) {
    use(rank, rank.communicators().named(comm).error_handler, errhandler);
  });
}

/// What the program added as `code`; null: nothing.
AddedError* find_added(RankState* rank, int code) {
  if (rank == nullptr || code <= MPI_ERR_LASTCODE || code > rank->errors().last_used_code) {
    return nullptr;
  }
  return &rank->errors().added[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)];
}

int add_error(RankState& rank, int error_class) {
  rank.errors().added.push_back({error_class, {}});
  return ++rank.errors().last_used_code;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;

extern "C" {

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function,
                                MPI_Errhandler* errhandler) {
  return netmod::create("MPI_Comm_create_errhandler", function, errhandler);
}
NETMOD_PUBLISH(Comm_create_errhandler);

int PMPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler) {
  return netmod::create("MPI_Errhandler_create", function, errhandler);
}
NETMOD_PUBLISH(Errhandler_create);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return netmod::set("MPI_Comm_set_errhandler", comm, errhandler);
}
NETMOD_PUBLISH(Comm_set_errhandler);

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return netmod::set("MPI_Errhandler_set", comm, errhandler);
}
NETMOD_PUBLISH(Errhandler_set);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return netmod::get("MPI_Comm_get_errhandler", comm, errhandler);
}
NETMOD_PUBLISH(Comm_get_errhandler);

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return netmod::get("MPI_Errhandler_get", comm, errhandler);
}
NETMOD_PUBLISH(Errhandler_get);

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) {
  return netmod::create("MPI_Win_create_errhandler", function, errhandler);
}
NETMOD_PUBLISH(Win_create_errhandler);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  return netmod::window_call("MPI_Win_set_errhandler", win, [&](RankState& rank, auto& window) {
    netmod::replace(rank, window.error_handler, errhandler);
  });
}
NETMOD_PUBLISH(Win_set_errhandler);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  return netmod::window_call("MPI_Win_get_errhandler", win, [&](RankState& rank, auto& window) {
    netmod::use(rank, window.error_handler, errhandler);
  });
}
NETMOD_PUBLISH(Win_get_errhandler);

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  const int result =
      netmod::window_call("MPI_Win_call_errhandler", win, [](RankState&, const auto&) {});
  if (result != MPI_SUCCESS) return result;
  netmod::handle_window_error(
      "MPI_Win_call_errhandler", win,
      {errorcode, fmt::format("the program raised error {}", errorcode), MPI_COMM_NULL});
  return MPI_SUCCESS;
}
NETMOD_PUBLISH(Win_call_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return call("MPI_Errhandler_free", [&](RankState& rank) {
    netmod::check_pointer(errhandler, "errhandler");
    netmod::check_error_handler(rank, *errhandler);
    netmod::drop_error_handler(rank, *errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}
NETMOD_PUBLISH(Errhandler_free);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  const int result = call("MPI_Comm_call_errhandler", comm,
                          [&](RankState& rank) { rank.communicators().named(comm); });
  if (result != MPI_SUCCESS) return result;
  netmod::handle_error("MPI_Comm_call_errhandler", comm,
                       {errorcode, fmt::format("the program raised error {}", errorcode), comm});
  return MPI_SUCCESS;
}
NETMOD_PUBLISH(Comm_call_errhandler);

int PMPI_Add_error_class(int* errorclass) {
  return call("MPI_Add_error_class", [&](RankState& rank) {
    netmod::check_pointer(errorclass, "errorclass");
    *errorclass = netmod::add_error(rank, rank.errors().last_used_code + 1);
  });
}
NETMOD_PUBLISH(Add_error_class);

int PMPI_Add_error_code(int errorclass, int* errorcode) {
  return call("MPI_Add_error_code", [&](RankState& rank) {
    netmod::check_pointer(errorcode, "errorcode");
    const netmod::AddedError* added = netmod::find_added(&rank, errorclass);
    const bool known = added != nullptr ? added->error_class == errorclass
                                        : !netmod::error_class_name(errorclass).empty();
    if (!known) {
      netmod::fail(MPI_ERR_ARG, fmt::format("errorclass is {}, which is no class", errorclass));
    }
    *errorcode = netmod::add_error(rank, errorclass);
  });
}
NETMOD_PUBLISH(Add_error_code);

int PMPI_Add_error_string(int errorcode, const char* string) {
  return call("MPI_Add_error_string", [&](RankState& rank) {
    netmod::AddedError* added = netmod::find_added(&rank, errorcode);
    if (added == nullptr) {
      netmod::fail(MPI_ERR_ARG,
                   fmt::format("errorcode is {}, which the program has not added", errorcode));
    }
    netmod::check_pointer(string, "string");
    added->text.assign(string, strnlen(string, MPI_MAX_ERROR_STRING - 1));
  });
}
NETMOD_PUBLISH(Add_error_string);

int PMPI_Error_class(int errorcode, int* errorclass) {
  if (errorclass == nullptr) return MPI_ERR_ARG;
  if (const netmod::AddedError* added =
          netmod::find_added(netmod::this_rank_or_null(), errorcode)) {
    *errorclass = added->error_class;
    return MPI_SUCCESS;
  }
  const bool known = !netmod::error_class_name(errorcode).empty();
  *errorclass = known ? errorcode : MPI_ERR_UNKNOWN;
  return known ? MPI_SUCCESS : MPI_ERR_ARG;
}
NETMOD_PUBLISH(Error_class);

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  if (string == nullptr || resultlen == nullptr) return MPI_ERR_ARG;
  const netmod::AddedError* added = netmod::find_added(netmod::this_rank_or_null(), errorcode);
  const std::string_view name = netmod::error_class_name(errorcode);
  const bool known = added != nullptr || !name.empty();
  const std::string text = added != nullptr ? added->text
                           : known
                               ? fmt::format("{}: {}", name, netmod::error_class_text(errorcode))
                               : fmt::format("error code {} is not known", errorcode);
  std::copy(text.begin(), text.end(), string);
  string[text.size()] = '\0';
  *resultlen = static_cast<int>(text.size());
  return known ? MPI_SUCCESS : MPI_ERR_ARG;
}
NETMOD_PUBLISH(Error_string);

}  // extern "C"
