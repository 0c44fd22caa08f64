// castor-live: the launcher of live jobs, which aprun --clock live becomes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "launch/aprun/exit_code.h"
#include "launch/aprun/own_stack.h"
#include "launch/aprun/standard_streams.h"
#include "launch/description/job_setup.h"
#include "launch/description/options.h"
#include "launch/live_launcher/live_launch.h"

namespace {

/// This process is the server of a job of its own: what an outer launcher told it would confuse
/// PMIx. What start-up exchanges is little, and messages need no files: "hash".
void prepare_environment() {
  for (const auto& [name, value] : corespec::environment()) {
    const bool setting = name.compare(0, 9, "PMIX_MCA_") == 0;
    if (name.compare(0, 5, "PMIX_") == 0 && !setting) unsetenv(name.c_str());
  }
  setenv("PMIX_MCA_gds", "hash", 0);
  // PMIx grumbles about connections to ranks that have been killed. What fails it returns as well.
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) setenv("PMIX_OUTPUT_STDERR_FD", fmt::format("{}", nowhere).c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  launch::hold_standard_descriptors();
  const int code = launch::exit_code_of(argv[0], [&] {
    launch::ensure_own_stack();
    prepare_environment();
    const launch::AprunOptions options = launch::parse_options(argv[0], {argv + 1, argv + argc});
    if (options.action != launch::AprunOptions::Action::run) {
      throw launch::UsageError("castor-live only runs live jobs; see aprun --help");
    }
    launch::enter_directory(options);
    const int ended = launch::launch_live(options);
    launch::flush_standard_output();
    return ended;
  });
  // PMIx leaves threads behind that its library's end would wait for.
  _exit(code);
}
