// libFuzzer's way into Arrivals: see run.sh.
#include <cstdlib>
#include <span>

#include "tests/wire/fuzz/arrivals.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire_test::Arrivals arrivals;
  arrivals.take(arrivals.examples()[0], true);  // a route: what waits for it leaves
  arrivals.take_all({data, size});
  if (!arrivals.is_whole()) std::abort();
  return 0;
}
