// The values of a Gemini's registers: the network does not count by tiles yet.
#include "ugni_emu/gpcd/read_registers.h"

#include <cerrno>
#include <cstdio>

namespace gpcd {

int read_registers(gpcd_context_t& context) {
  if (context.list == nullptr) return 0;
  std::fputs(
      "castor: GPCD's counters are not available: the network does not count by tiles; a read "
      "returns -1\n",
      stderr);
  return ENOTSUP;
}

}  // namespace gpcd
