// OpenMP's settings for ranks in virtual time.
#pragma once

#include <string>
#include <vector>

#include "corespec/config/parameters.h"

namespace launch {

/// In virtual time a rank has one thread. For a program with the OpenMP library `library`: adds to
/// `settings` what its ranks lack, and returns the line that says so, if they lack anything. Throws
/// std::invalid_argument with one line if they ask for more threads.
std::string set_openmp(const std::string& library, std::vector<corespec::Setting>& settings);

/// Removes what the library leaves behind when ranks have not come to their end.
void remove_openmp_files();

}  // namespace launch
