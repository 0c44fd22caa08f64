// The values of a Gemini's registers.
#pragma once

#include "ugni_emu/include/gpcd_lib.h"

namespace gpcd {

/// Reads every register of the context's list, all at one moment. Returns 0, or an error number; if
/// there are no counters to read, a line on standard error says so.
int read_registers(gpcd_context_t& context);

}  // namespace gpcd
