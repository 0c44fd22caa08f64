// Signals from outside, limits and progress of a run in virtual time.
#include "launch/virtual_run/run_control.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include "corespec/host/host_time.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/process.h"
#include "launch/reports/kept_errno.h"
#include "launch/reports/signal_text.h"
#include "launch/virtual_run/host_timer.h"
#include "launch/virtual_run/own_code.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

constexpr std::int64_t ns_per_s = 1000000000;
constexpr std::int64_t usual_period = ns_per_s;
constexpr std::int64_t retry_period = ns_per_s / 50;
/// A request that has waited for so many retries is served although a lock may be held, which is
/// hardly ever so where the rank uses no CPU time: it is blocked in the kernel.
constexpr int patient_retries = 100;
constexpr int blocked_retries = 10;
/// A rank that has used next to no CPU time for so many periods is blocked.
constexpr int blocked_seconds = 5;
constexpr std::int64_t next_to_none = ns_per_s / 20;

constexpr std::array from_outside{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/// What the signal handlers need; a handler has no other way to its state.
struct Control {
  corespec::Engine* engine = nullptr;
  RunControlClient* client = nullptr;
  RunControl::Settings settings;
  std::optional<HostTimer> timer;
  std::array<struct sigaction, from_outside.size()> before{};
  std::int64_t begun = 0;

  // What has been asked and not been served.
  volatile int end_signal = 0;
  volatile bool limit_passed = false;
  volatile bool state_wanted = false;
  volatile bool progress_wanted = false;
  int retries = 0;
  int retries_blocked = 0;  ///< one after the other

  // Of the last period.
  std::uint64_t switches = 0;
  std::int64_t cpu_time = 0;
  int periods_blocked = 0;

  bool asked() const { return end_signal != 0 || limit_passed || state_wanted; }
  double elapsed_s() const {
    return static_cast<double>(corespec::host_time_ns() - begun) / ns_per_s;
  }
};
Control control;

/// Whatever has been asked. Does not return if the run is to end.
void serve() {
  control.retries = control.retries_blocked = 0;
  if (control.end_signal != 0) control.client->end_by_signal(control.end_signal);
  if (control.limit_passed) control.client->end_by_limit();
  if (control.state_wanted) {
    control.state_wanted = false;
    control.client->show_state();
  }
  if (control.progress_wanted) {
    control.progress_wanted = false;
    control.client->show_progress(control.elapsed_s());
  }
}

/// At once where a rank's own code runs, soon if the engine gets its turn, else again and again.
void serve_soon(const void* context) {
  control.engine->interrupt();
  if (interrupted_own_code(context)) {
    serve();
    control.timer->set_period(usual_period);
  } else {
    control.timer->set_period(retry_period);
  }
}

void try_again(const void* context) {
  control.engine->interrupt_advance();
  const std::int64_t cpu_time = corespec::host_cpu_time_ns();
  const bool stands = cpu_time - std::exchange(control.cpu_time, cpu_time) < retry_period / 20;
  ++control.retries;
  control.retries_blocked = stands ? control.retries_blocked + 1 : 0;
  if (interrupted_own_code(context) || control.retries >= patient_retries ||
      control.retries_blocked >= blocked_retries) {
    serve();
    control.timer->set_period(usual_period);
  }
}

/// Seconds without an event and without CPU time: the rank waits in the kernel, and with it all.
void look_for_blocked_rank(const void* context) {
  const std::uint64_t switches = control.engine->switches();
  const std::int64_t cpu_time = corespec::host_cpu_time_ns();
  const bool stands = switches == control.switches && cpu_time - control.cpu_time < next_to_none;
  control.switches = switches;
  control.cpu_time = cpu_time;
  control.periods_blocked = stands ? control.periods_blocked + 1 : 0;
  const corespec::Process* const process = corespec::this_process_or_null();
  if (process == nullptr) return;
  if (control.periods_blocked == 1 && waits_outside(context)) control.client->rank_waits_outside();
  if (control.periods_blocked != blocked_seconds) return;
  const char* const function = interrupted_function(context);
  SignalText line;
  line << "castor: rank ";
  line.number(static_cast<std::uint64_t>(process->rank()));
  line << " has been blocked in ";
  if (function != nullptr) {
    line << function << "()";
  } else {
    line << "a system call";
  }
  line << " for ";
  line.number(blocked_seconds);
  line << " s; all ranks share one process, so all others wait, too\n";
  line.print();
}

void each_second(const void* context) {
  look_for_blocked_rank(context);
  const double limit = control.settings.limit_s;
  if (limit > 0 && control.elapsed_s() >= limit) {
    control.limit_passed = true;
    serve_soon(context);
  } else if (control.settings.shows_progress) {
    control.progress_wanted = true;
    control.engine->interrupt();
  }
}

void tick(int, siginfo_t*, void* context) {
  const KeptErrno kept;
  if (control.asked()) {
    try_again(context);
  } else {
    each_second(context);
  }
}

/// The process has sent it to itself: a rank has.
bool sent_by_rank(const siginfo_t& info) { return info.si_code <= 0 && info.si_pid == getpid(); }

void end_at_once(int number) {
  SignalText line;
  line << "aprun: a second signal: ended without a look at the ranks\n";
  line.print();
  // Not _exit(), which is interposed and would end the rank alone.
  constexpr int signal_exit = 128;
  syscall(SYS_exit_group, signal_exit + number);
}

void signalled(int number, siginfo_t* info, void* context) {
  const KeptErrno kept;
  if (sent_by_rank(*info)) {
    for (std::size_t i = 0; i < from_outside.size(); ++i) {
      const struct sigaction& before = control.before[i];
      if (from_outside[i] == number && (before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(number, info, context);
      }
    }
    return;
  }
  if (number == SIGQUIT) {
    control.state_wanted = true;
  } else if (!control.settings.ends_by_signals) {
    return;
  } else {
    if (control.end_signal != 0) end_at_once(number);
    control.end_signal = number;
  }
  serve_soon(context);
}

}  // namespace

RunControl::RunControl(VirtualRun& run, RunControlClient& client, Settings settings) : run_(run) {
  control.engine = &run.machine().engine();
  control.client = &client;
  control.settings = settings;
  control.begun = corespec::host_time_ns();
  control.end_signal = 0;
  control.limit_passed = false;
  control.state_wanted = false;
  control.progress_wanted = false;
  control.retries = control.periods_blocked = 0;
  control.timer.emplace(HostTimer::signal_of(0), tick);
  for (std::size_t i = 0; i < from_outside.size(); ++i) {
    struct sigaction action {};
    sigaction(from_outside[i], nullptr, &control.before[i]);
    if (control.before[i].sa_handler == SIG_IGN) continue;  // nohup
    action.sa_sigaction = signalled;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigaction(from_outside[i], &action, nullptr);
  }
  control.timer->set_period(usual_period);
}

RunControl::~RunControl() {
  for (std::size_t i = 0; i < from_outside.size(); ++i) {
    sigaction(from_outside[i], &control.before[i], nullptr);
  }
  control.timer.reset();
}

void RunControl::ask() { control.engine->interrupt_advance(); }

corespec::VirtualMachine::Result RunControl::run() {
  for (;;) {
    const corespec::VirtualMachine::Result result = run_.run();
    if (result.end != corespec::Engine::End::interrupted) return result;
    control.client->interrupted();
    serve();
    control.timer->set_period(usual_period);
  }
}

}  // namespace launch
