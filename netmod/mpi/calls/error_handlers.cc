// How long error handlers live.
#include "netmod/mpi/calls/error_handlers.h"

#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

ErrorHandler* find_error_handler(RankState& rank, MPI_Errhandler handler) {
  ErrorTables* errors = rank.errors_if_any();
  return errors == nullptr ? nullptr : errors->handlers.find(handler);
}

void keep_error_handler(RankState& rank, MPI_Errhandler handler) {
  if (ErrorHandler* made = find_error_handler(rank, handler)) ++made->uses;
}

void drop_error_handler(RankState& rank, MPI_Errhandler handler) {
  ErrorHandler* made = find_error_handler(rank, handler);
  if (made != nullptr && --made->uses == 0) rank.errors().handlers.remove(handler);
}

}  // namespace netmod
