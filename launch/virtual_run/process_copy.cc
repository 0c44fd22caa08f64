// The copy, with the kernel's calls only: those of libc take locks, and are a rank's, if one runs.
#include "launch/virtual_run/process_copy.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "corespec/host/host_time.h"

namespace launch {
namespace {

// As the kernel has them.
using Mask = std::uint64_t;
struct Action {
  void (*handler)(int) = SIG_DFL;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  Mask mask = 0;
};
constexpr Mask bit_of(int number) { return Mask{1} << (number - 1); }

void set_to_default(int number) {
  const Action action;
  syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask);
}

constexpr int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

[[noreturn]] void be_the_copy(int (*work)(), long original) noexcept {
  // A fault here is no rank's.
  Mask blocked = ~Mask{0};
  for (const int number : own_faults) {
    set_to_default(number);
    blocked &= ~bit_of(number);
  }
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, sizeof blocked);
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (syscall(SYS_getppid) != original) end_process_now(0);
  end_process_now(work());
}

}  // namespace

int run_in_copy(int (*work)(), std::int64_t longest_ns) {
  const long original = syscall(SYS_getpid);
  // Without the signal at its end, which a rank might be waiting for.
  const auto copy = static_cast<pid_t>(syscall(SYS_clone, 0UL, 0, 0, 0, 0));
  if (copy < 0) return no_result;
  if (copy == 0) be_the_copy(work, original);
  const std::int64_t end = corespec::host_time_ns() + longest_ns;
  for (int status = 0;;) {
    const bool is_late = corespec::host_time_ns() > end;
    if (is_late) syscall(SYS_kill, copy, SIGKILL);
    const long ended = syscall(SYS_wait4, copy, &status, is_late ? __WALL : __WALL | WNOHANG, 0);
    if (ended == copy) return WIFEXITED(status) ? WEXITSTATUS(status) : no_result;
    if (ended < 0 && errno != EINTR) return no_result;
    constexpr timespec pause{0, 5'000'000};
    syscall(SYS_nanosleep, &pause, nullptr);
  }
}

void end_by_default_of(int number) {
  set_to_default(number);
  const Mask mask = bit_of(number);
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, nullptr, sizeof mask);
  syscall(SYS_kill, syscall(SYS_getpid), number);
  constexpr int signal_exit = 128;
  end_process_now(signal_exit + number);
}

void end_process_now(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

}  // namespace launch
