// Calls as dumpi2ascii prints them.
#pragma once

#include <string>
#include <vector>

#include "apps/traces/dumpi/calls.h"

namespace castor_test {

/// The block of a call that has both times. `counters` are the names of its counters.
std::string text_of(const dumpi::Call& call, const std::vector<std::string>& counters = {});

}  // namespace castor_test
