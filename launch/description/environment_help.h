// --env-help: the environment variables, all or those that words choose.
#pragma once

#include <string>
#include <vector>

namespace launch {

/// The table of parameters as text: the rows that have each of `words` in their name, unit or
/// description, in letters of either case. Throws UsageError with the nearest names if none has.
std::string environment_help(const std::vector<std::string>& words);

}  // namespace launch
