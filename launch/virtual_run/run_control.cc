// Signals from outside, limits and progress of a run in virtual time.
#include "launch/virtual_run/run_control.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include "corespec/host/host_time.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/process.h"
#include "corespec/threads/rank_memory.h"
#include "launch/reports/kept_errno.h"
#include "launch/reports/signal_text.h"
#include "launch/virtual_run/host_timer.h"
#include "launch/virtual_run/own_code.h"
#include "launch/virtual_run/process_copy.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

constexpr std::int64_t ns_per_s = 1000000000;
constexpr std::int64_t usual_period = ns_per_s;
constexpr std::int64_t retry_period = ns_per_s / 50;
// For so long the process may come to a place of its own where it serves what has been asked.
constexpr std::int64_t patience_blocked = ns_per_s / 5;  ///< a rank, which uses no CPU time
constexpr int blocked_retries = 10;
constexpr std::int64_t patience_library = 2 * ns_per_s;  ///< a rank
constexpr std::int64_t patience_launcher = 10 * ns_per_s;
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
  volatile std::int64_t asked_at = 0;
  volatile bool retries = false;     ///< the timer's period is that of retries
  volatile int retries_blocked = 0;  ///< one after the other, in which it has used no CPU time
  volatile bool serves = false;      ///< the client is being told something

  // Of the last period.
  std::uint64_t switches = 0;
  std::int64_t cpu_time = 0;
  int periods_blocked = 0;

  corespec::Thread* interrupted = nullptr;  ///< of a rank, while the client is told something

  bool is_end_asked() const { return end_signal != 0 || limit_passed; }
  bool asked() const { return is_end_asked() || state_wanted; }
  double elapsed_s() const {
    return static_cast<double>(corespec::host_time_ns() - begun) / ns_per_s;
  }
};
Control control;

/// While the client is told something: a handler that comes then only notes. If a rank has been
/// interrupted, it is not the one that calls: its libc would let others run in its place.
class Serving {
 public:
  Serving() {
    control.serves = true;
    control.interrupted = corespec::exchange_current_thread(nullptr);
  }
  ~Serving() {
    corespec::exchange_current_thread(std::exchange(control.interrupted, nullptr));
    control.serves = false;
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  corespec::HostMemory shared_;  ///< also where the rank is the calling one for a while
};

/// By a signal, or, if that is 0, by the limit. True: the process ends by the signal.
bool say_end(int number) {
  if (number != 0) return control.client->say_end_by_signal(number);
  control.client->say_end_by_limit();
  return false;
}

[[noreturn]] void end(int number, bool by_signal) {
  constexpr int signal_exit = 128;
  if (by_signal) end_by_default_of(number);
  end_process_now(number != 0 ? signal_exit + number : RunControl::limit_exit);
}

/// Whatever has been asked, at a place where any function may be called. Does not return if the run
/// is to end.
void serve() {
  if (control.serves) return;
  const Serving serving;
  while (control.asked()) {
    if (control.is_end_asked()) {
      const int number = control.end_signal;
      end(number, say_end(number));
    }
    control.state_wanted = false;
    control.client->show_state();
  }
  if (control.progress_wanted) {
    control.progress_wanted = false;
    control.client->show_progress(control.elapsed_s());
  }
}

// In a copy of the process. What they return the original hears.

int say_end_in_copy() {
  control.client->is_copy(false);
  return say_end(control.end_signal) ? 1 : 0;
}

int show_state_in_copy() {
  control.client->is_copy(true);
  control.client->show_state();
  return 0;
}

/// Wherever the thread has been interrupted.
void serve_in_copy() {
  const Serving serving;
  if (control.is_end_asked()) {
    const int number = control.end_signal;
    const int said = run_in_copy(say_end_in_copy, control.settings.copy_ns);
    if (said == no_result) {
      SignalText line;
      line << "aprun: the run has been ended; what the ranks are doing could not be found out\n";
      line.print();
    }
    end(number, said == no_result ? number != 0 : said == 1);
  }
  control.state_wanted = false;
  if (run_in_copy(show_state_in_copy, control.settings.copy_ns) == no_result) {
    SignalText line;
    line << "aprun: SIGQUIT: what the ranks are doing could not be found out\n";
    line.print();
  }
  control.client->copy_has_ended();
}

void set_period(std::int64_t period) {
  control.retries = period == retry_period;
  control.timer->set_period(period);
}

/// Something has been asked just now: at once where a rank's own code runs, soon if the process
/// comes to another place, else again and again.
void serve_soon(const void* context) {
  control.engine->interrupt();
  control.asked_at = corespec::host_time_ns();
  control.retries_blocked = 0;
  set_period(retry_period);
  if (!control.serves && interrupted_own_code(context)) serve();
}

/// No place has come for so long that none may come.
bool is_out_of_patience() {
  const std::int64_t now = corespec::host_time_ns();
  const std::int64_t cpu_time = corespec::host_cpu_time_ns();
  const bool stands = cpu_time - std::exchange(control.cpu_time, cpu_time) < retry_period / 20;
  control.retries_blocked = stands ? control.retries_blocked + 1 : 0;
  const std::int64_t waited = now - control.asked_at;
  if (corespec::this_process_or_null() == nullptr) return waited >= patience_launcher;
  return waited >= patience_library ||
         (waited >= patience_blocked && control.retries_blocked >= blocked_retries);
}

void try_again(const void* context) {
  control.engine->interrupt_advance();
  if (interrupted_own_code(context)) {
    serve();
  } else if (is_out_of_patience()) {
    serve_in_copy();
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
  if (control.periods_blocked == 1 && waits_outside(context)) {
    const Serving serving;
    control.client->rank_waits_outside();
  }
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
    return;
  }
  if (control.settings.shows_progress) {
    control.progress_wanted = true;
    control.engine->interrupt();
  }
  if (interrupted_own_code(context)) {
    const Serving serving;
    control.client->rank_computes();
  }
}

void tick(int, siginfo_t*, void* context) {
  if (control.serves) return;
  const KeptErrno kept;
  if (control.asked()) {
    try_again(context);
  } else if (control.retries) {
    set_period(usual_period);
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
  constexpr int signal_exit = 128;
  end_process_now(signal_exit + number);
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
  control.serves = false;
  control.retries = false;
  control.periods_blocked = 0;
  control.timer.emplace(HostTimer::signal_of(0), tick);
  for (std::size_t i = 0; i < from_outside.size(); ++i) {
    struct sigaction action {};
    sigaction(from_outside[i], nullptr, &control.before[i]);
    if (control.before[i].sa_handler == SIG_IGN) continue;  // nohup
    action.sa_sigaction = signalled;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigaction(from_outside[i], &action, nullptr);
  }
  set_period(usual_period);
}

RunControl::~RunControl() {
  for (std::size_t i = 0; i < from_outside.size(); ++i) {
    sigaction(from_outside[i], &control.before[i], nullptr);
  }
  control.timer.reset();
  control.client = nullptr;
}

void RunControl::ask() { control.engine->interrupt_advance(); }

void RunControl::serve_asked() {
  if (control.client != nullptr && control.asked()) serve();
}

bool RunControl::is_serving() { return control.serves; }

RunControl::AsInterrupted::AsInterrupted() {
  if (control.interrupted != nullptr) corespec::exchange_current_thread(control.interrupted);
}

RunControl::AsInterrupted::~AsInterrupted() {
  if (control.interrupted != nullptr) corespec::exchange_current_thread(nullptr);
}

corespec::VirtualMachine::Result RunControl::run() {
  for (;;) {
    corespec::VirtualMachine::Result result = run_.run();
    if (result.end != corespec::Engine::End::interrupted) return result;
    control.client->interrupted();
    serve();
  }
}

}  // namespace launch
