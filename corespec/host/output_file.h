// Files that a run writes about itself.
#pragma once

#include <cstdio>
#include <string>

namespace corespec {

/// Opens `name`, which `option` has named, and empties it. A pipe (FIFO) that no process reads is
/// waited for, up to `patience_s` seconds; 0: for ever, as a shell does. Throws std::runtime_error
/// with one line: option, name, why.
std::FILE* open_output(const std::string& option, const std::string& name, double patience_s);

}  // namespace corespec
