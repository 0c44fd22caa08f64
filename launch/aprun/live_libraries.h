// Which libraries a live job's program will load, asked of the dynamic loader beforehand.
#pragma once

#include <string>
#include <vector>

namespace launch {

/// Throws LoadError with one line if the ranks of `program` would take MPI from another library
/// than Castor's (by a DT_RPATH, LD_PRELOAD or another name), lack one, or not get past the dynamic
/// loader. `environment` is a rank's. What the dynamic loader is not asked about (scripts, static
/// programs, other processors) passes.
void check_libraries(const std::string& program, const std::vector<std::string>& environment);

}  // namespace launch
