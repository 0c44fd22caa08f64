// Which libraries a live job's program will load, asked of the dynamic loader beforehand.
#pragma once

#include <string>
#include <vector>

#include "launch/loader/missing_symbols.h"

namespace launch {

/// What the dynamic loader has found that concerns a job's start.
struct LibraryReport {
  MissingSymbols missing;
  /// The program has Castor's own library that knows what to do when a missing function is called.
  bool has_handler = false;
};

/// Throws LoadError with one line if the ranks of `program` would take MPI from another library
/// than Castor's (by a DT_RPATH, LD_PRELOAD or another name), lack one, lack data that are referred
/// to, or not get past the dynamic loader. `environment` is a rank's. What the dynamic loader is
/// not asked about (scripts, static programs, other processors) passes.
LibraryReport check_libraries(const std::string& program, std::vector<std::string> environment);

}  // namespace launch
