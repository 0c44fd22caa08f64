// Names a rank that computes on and on without a library call.
#include "launch/machine/watchdog.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstring>

#include "corespec/job/process.h"
#include "launch/machine/virtual_run.h"

namespace launch {
namespace {

constexpr int interval_s = 10;

/// What the signal handler needs; a handler has no other way to its state.
struct Watched {
  const corespec::Engine* engine = nullptr;
  std::uint64_t switches = 0;
  bool warned = false;
};
Watched watched;

void append(char*& to, const char* text) {
  const std::size_t length = std::strlen(text);
  std::memcpy(to, text, length);
  to += length;
}

void tick(int) {
  const std::uint64_t now = watched.engine->switches();
  if (now != watched.switches) {
    watched.switches = now;
    watched.warned = false;
    return;
  }
  if (watched.warned) return;
  const corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return;
  watched.warned = true;
  char line[160];
  char* end = line;
  append(end, "castor: rank ");
  end = std::to_chars(end, end + 12, process->rank()).ptr;
  append(end, " has computed for 10 to 20 s of CPU time without a library call; all others wait\n");
  // Not write(), which is interposed and would be the rank's own.
  syscall(SYS_write, STDERR_FILENO, line, static_cast<std::size_t>(end - line));
}

void set_timer(int seconds) {
  itimerval timer{};
  timer.it_interval.tv_sec = timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

Watchdog::Watchdog(VirtualRun& run) {
  watched = Watched{&run.machine().engine(), 0, false};
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  set_timer(interval_s);
}

Watchdog::~Watchdog() {
  set_timer(0);
  signal(SIGPROF, SIG_IGN);
}

}  // namespace launch
