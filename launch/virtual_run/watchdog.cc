// Names a rank that computes on and on, or polls on and on, while nothing else happens.
#include "launch/virtual_run/watchdog.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <cstdint>

#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "launch/reports/signal_text.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

/// What the signal handler needs; a handler has no other way to its state.
struct Watched {
  const corespec::Engine* engine = nullptr;
  std::array<char, 32> duration{};
  std::uint64_t switches = 0;
  corespec::Time time;  ///< of the rank's node
  bool warned = false;
  bool modelled = false;
};
Watched watched;

/// `moved`: the rank's calls take virtual time, without an event in between.
void warn(int rank, bool moved) {
  SignalText line;
  line << "castor: rank ";
  line.number(static_cast<std::uint64_t>(rank));
  line << (moved ? " has polled for " : " has computed for ") << watched.duration.data();
  line << (moved ? " of CPU time and nothing has come; all others wait\n"
                 : " of CPU time without a library call that takes time; all others wait\n");
  if (!moved && watched.modelled) {
    line << "castor: in a modelled program only corespec_work_ns() takes time between library "
            "calls: "
            "a loop that waits until its memory changes has to call it\n";
  }
  line.print();
}

void tick(int) {
  const corespec::Process* process = corespec::this_process_or_null();
  const std::uint64_t switches = watched.engine->switches();
  const corespec::Time before = watched.time;
  if (process != nullptr) watched.time = process->node().domain().now();
  if (switches != watched.switches) {
    watched.switches = switches;
    watched.warned = false;
    return;
  }
  if (watched.warned || process == nullptr) return;
  watched.warned = true;
  warn(process->rank(), watched.time != before);
}

void set_timer(int milliseconds) {
  itimerval timer{};
  timer.it_interval = timer.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

Watchdog::Watchdog(VirtualRun& run, Program program, int interval_ms) {
  watched = Watched{};
  watched.modelled = program == Program::modelled;
  watched.engine = &run.machine().engine();
  const double seconds = interval_ms / 1000.0;
  fmt::format_to_n(watched.duration.data(), watched.duration.size() - 1, "{} to {} s", seconds,
                   2 * seconds);
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  set_timer(interval_ms);
}

Watchdog::~Watchdog() {
  set_timer(0);
  signal(SIGPROF, SIG_IGN);
}

}  // namespace launch
