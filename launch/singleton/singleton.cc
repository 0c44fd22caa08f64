// A program started without aprun: one rank on one node, its own stack as the rank's thread.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "corespec/threads/thread.h"
#include "launch/description/job_nodes.h"
#include "launch/description/options.h"
#include "launch/live_rank/live_run.h"
#include "launch/live_rank/main_thread_end.h"
#include "launch/start_up/start_up.h"
#include "launch/virtual_run/rank_states.h"
#include "launch/virtual_run/virtual_run.h"

namespace {

std::unique_ptr<launch::LiveRun> make_live_run(const std::vector<corespec::Setting>& settings) {
  try {
    return std::make_unique<launch::LiveRun>(settings);
  } catch (const std::exception&) {
    launch::StartUp::let_launcher_act();
    throw;
  }
}

/// After what the user asked for and cannot be.
[[noreturn]] void end_for(const std::exception& error) {
  constexpr int usage_exit = 2;
  fmt::print(stderr, "castor: {}\n", corespec::printable(corespec::what_happened(error)));
  std::exit(usage_exit);
}

/// The program is linked with GPCD's library.
bool reads_counters() {
  void* const library = dlopen(launch::counters_library, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  dlclose(library);
  return true;
}

/// At the end of a process of a live job.
void leave(int status, void* run) {
  std::unique_ptr<launch::LiveRun> owned(static_cast<launch::LiveRun*>(run));
  if (!owned->of_this_process()) {
    [[maybe_unused]] const launch::LiveRun* the_parents = owned.release();
    return;
  }
  owned->note_status(status);
}

/// The event loop runs on a stack of its own and comes back only if nothing can happen any more.
void run_loop(void* argument) {
  auto& run = *static_cast<launch::VirtualRun*>(argument);
  run.enter_loop();
  run.run();
  std::fflush(stdout);
  if (run.job().end().aborted) {
    const int code = run.job().end().status & 0xff;
    _exit(code == 0 ? 1 : code);
  }
  fmt::print(stderr, "{}", launch::describe_ranks(run, "castor: deadlock"));
  _exit(1);
}

}  // namespace

/// Makes the calling program a rank of the live job that a launcher has started, or a job of one
/// rank. Returns 0, or -1 after one line on standard error; but bad options and variables end the
/// process with exit code 2, as they do aprun. In virtual time its own computing is
/// measured, unless CASTOR_COMPUTE=modelled. The machine lives as long as the process.
extern "C" int castor_adopt_singleton(void) {
  try {
    const std::vector<corespec::Setting> settings = corespec::environment();
    if (launch::LiveRun::wanted(settings)) {
      const std::set<int> before = launch::threads_of_process();
      on_exit(&leave, make_live_run(settings).release());
      std::set<int> started = launch::threads_of_process();
      for (const int thread : before) started.erase(thread);
      launch::end_process_after_main_thread(std::move(started));
      return 0;
    }
    launch::JobRequest request;
    request.settings = settings;
    launch::decide_counters(request.settings, reads_counters());
    request.apid = static_cast<std::uint64_t>(getpid());
    auto run = std::make_unique<launch::VirtualRun>(request);
    launch::print_warnings("castor", settings, {.live = false, .by_aprun = false});
    run->show_placement();
    const bool measured = run->parameters().compute != "modelled";
    run->adopt_caller(&run_loop, run.get());
    launch::set_job_variables(run->job().rank(0), 1);
    if (measured) corespec::this_thread().measure();
    [[maybe_unused]] launch::VirtualRun* for_the_process = run.release();
    return 0;
  } catch (const launch::UsageError& error) {
    end_for(error);
  } catch (const std::invalid_argument& error) {
    end_for(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "castor: {}\n", corespec::printable(corespec::what_happened(error)));
    return -1;
  }
}
