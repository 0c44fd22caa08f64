// The lines that dumpi2ascii prints of a call's arguments.
#pragma once

#include <vector>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/dumpi/text_lines.h"

namespace dumpi {

/// Reads the arguments of a call, each on the line behind the last one; the last line is then that
/// of the last argument. The values are in the order of the layout.
std::vector<Value> read_arguments(Lines& lines, const Layout& layout);

}  // namespace dumpi
