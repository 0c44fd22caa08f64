// A timer of the host's.
#include "launch/virtual_run/host_timer.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace launch {

// The kernel's calls: libc's functions of these names are interposed, and a rank's, if one runs
// when the handler calls.

HostTimer::HostTimer(int number, Handler handler) : number_(number) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  sigaction(number, &action, &before_);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event._sigev_un._tid = gettid();
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer_) != 0) {
    const std::error_code error(errno, std::generic_category());
    sigaction(number, &before_, nullptr);
    throw std::system_error(error, "no timer of the host's");
  }
}

HostTimer::~HostTimer() {
  syscall(SYS_timer_delete, timer_);
  // One that is on its way finds no handler of ours.
  before_.sa_handler = SIG_IGN;
  sigaction(number_, &before_, nullptr);
}

void HostTimer::set_period(std::int64_t ns) {
  constexpr std::int64_t ns_per_s = 1000000000;
  itimerspec spec{};
  spec.it_interval =
      spec.it_value = {static_cast<time_t>(ns / ns_per_s), static_cast<long>(ns % ns_per_s)};
  syscall(SYS_timer_settime, timer_, 0, &spec, nullptr);
}

}  // namespace launch
