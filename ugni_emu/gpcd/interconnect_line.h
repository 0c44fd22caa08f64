// A line of `rtr --interconnect`, read.
#pragma once

#include <string_view>

#include "ugni_emu/include/castor_interconnect.h"

namespace gpcd {

/// Reads a whole line without its end. Throws std::invalid_argument that says what is wrong.
castor_interconnect_line_t parse_line(std::string_view text);

}  // namespace gpcd
