// Signals that end a rank of a live job from outside.
#include "launch/live_rank/end_signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "launch/live_rank/kept_output.h"
#include "launch/live_rank/launcher_socket.h"
#include "launch/reports/kept_errno.h"

namespace launch {
namespace {

/// SIGQUIT asks what a rank is doing (state_report.h); SIGXCPU comes with aprun's -t.
constexpr std::array ends{SIGTERM, SIGINT, SIGHUP, SIGXCPU};

/// What the handler needs; it has no other way to its state.
struct Known {
  pid_t pid = 0;
  LauncherSocket launcher;
};
Known known;

bool is_from_terminal(int number, const siginfo_t& info) {
  return info.si_code == SI_KERNEL && (number == SIGINT || number == SIGHUP);
}

void on_end(int number, siginfo_t* info, void*) {
  const KeptErrno kept_errno;
  const bool own_process = getpid() == known.pid;  // not one that the rank has forked
  if (own_process) {
    if (is_from_terminal(number, *info) && known.launcher.is_there()) return;
    KeptOutput::request();
  }
  signal(number, SIG_DFL);
  raise(number);  // ends the process when this handler has returned
}

}  // namespace

EndSignals::EndSignals() {
  known = {getpid(), LauncherSocket::inherited()};
  for (const int number : ends) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
        action.sa_handler != SIG_DFL) {
      continue;
    }
    action.sa_sigaction = on_end;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

EndSignals::~EndSignals() {
  for (const int number : ends) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_sigaction == on_end) {
      signal(number, SIG_DFL);
    }
  }
}

}  // namespace launch
