// The line of an assertion that does not hold.
#include "corespec/host/check.h"

#include <cstdio>
#include <cstdlib>

namespace corespec {

void check_failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "castor: internal error: %s:%d: %s\n", file, line, what);
  std::abort();
}

}  // namespace corespec
