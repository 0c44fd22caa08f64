// What the options of a command line must be to each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/description/options.h"

namespace launch {

/// Throws UsageError if options contradict each other, or if one has nothing to act on.
void check_options(const AprunOptions& options);

/// The name in `names` that is nearest to `given` and differs from it by one or two letters (one
/// too many, one too few, another one, or two that changed places); empty: there is none.
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

}  // namespace launch
