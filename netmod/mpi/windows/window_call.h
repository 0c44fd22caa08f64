// The entry of MPI functions on windows.
#pragma once

#include <utility>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

/// Runs `body(RankState&, Window&)` as the MPI function `function` on `window`, whose error handler
/// is asked about errors. Returns MPI_SUCCESS or the error's class.
template <class Body>
int window_call(const char* function, MPI_Win window, Body&& body) {
  std::exception_ptr caught =
      run_call(function, [&](RankState& rank) { body(rank, find_window(rank, window)); });
  return caught == nullptr ? MPI_SUCCESS
                           : handle_window_caught(function, window, std::move(caught));
}

}  // namespace netmod
