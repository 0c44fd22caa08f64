// How ARMCI gives up.
#include "armci/core/fail.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "corespec/host/printable.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"

namespace armci {

void fail(std::string_view function, std::string_view what) {
  corespec::Process* process = corespec::this_process_or_null();
  const std::string line = fmt::format("{}: {}", function, what);
  if (process != nullptr) process->job().abort(*process, 1, line);
  fmt::print(stderr, "castor: {}\n", corespec::printable(line));
  std::abort();
}

}  // namespace armci
