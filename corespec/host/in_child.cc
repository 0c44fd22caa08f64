// The child process and what it may not do.
#include "corespec/host/in_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

namespace corespec {
namespace {

// No thread and no handler of the parent's is to run in the child: the system's own calls.
[[noreturn]] void leave(int code) {
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

void limit_to(int resource, rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

[[noreturn]] void be_the_child(int patience_s, const std::function<void()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU}) {
    signal(number, SIG_DFL);
  }
  limit_to(RLIMIT_CORE, 0);
  // Of computing: a busy host takes nothing from it.
  if (patience_s > 0) limit_to(RLIMIT_CPU, static_cast<rlim_t>(patience_s));
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  try {
    body();
  } catch (const std::exception&) {
    // The parent will meet it again, or looks for what `body` has left.
  }
  leave(0);
}

}  // namespace

int run_in_child(int patience_s, const std::function<void()>& body) {
  const auto child = static_cast<pid_t>(fork());
  if (child < 0) return -1;
  if (child == 0) be_the_child(patience_s, body);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? 0 : SIGABRT;
}

}  // namespace corespec
