// Error handlers, and the error codes that the program added.
#pragma once

#include <string>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/handles.h"

namespace netmod {

class RankState;

/// An error handler made by the program; lives as long as a handle or a communicator uses it.
struct ErrorHandler {
  MPI_Comm_errhandler_function* function = nullptr;
  int uses = 0;
};

/// An error class or code that the program added; the first one is MPI_ERR_LASTCODE + 1.
struct AddedError {
  int error_class = 0;
  std::string text;
};

/// The communicator or window that hears of an error, and its error handler.
struct ErrorHearer {
  int object = MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
};

/// What the program made for errors: few ranks have any of it.
struct ErrorTables {
  HandleTable<ErrorHandler> handlers{HandleKind::error_handler, 4};
  int last_used_code = MPI_ERR_LASTCODE;  ///< MPI_LASTUSEDCODE
  std::vector<AddedError> added;
};

/// Null: it is a predefined one, or none.
ErrorHandler* find_error_handler(RankState& rank, MPI_Errhandler handler);
/// A further use of an error handler, if the program made it.
void keep_error_handler(RankState& rank, MPI_Errhandler handler);
/// Gives a use of an error handler (a handle's or a communicator's) up.
void drop_error_handler(RankState& rank, MPI_Errhandler handler);

}  // namespace netmod
