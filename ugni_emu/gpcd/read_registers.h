// The values of a Gemini's registers.
#pragma once

#include "ugni_emu/include/gpcd_lib.h"

namespace gpcd {

/// Reads every register of the context's list, all at one moment. Returns 0, or an error number: if
/// there are no counters to read, ENOTSUP, and the rank is told why the first time.
int read_registers(gpcd_context_t& context);

}  // namespace gpcd
