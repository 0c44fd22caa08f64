// The child process in which a program's first copy is loaded.
#include "launch/loader/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include "launch/loader/load_error.h"
#include "launch/loader/program_copy.h"
#include "launch/loader/program_image.h"

namespace launch {
namespace {

// No thread and no handler of the launcher's is to run in the child: the system's own calls.
[[noreturn]] void leave(int code) {
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

[[noreturn]] void load_in_child(const ProgramImage& image) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU}) {
    signal(number, SIG_DFL);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  constexpr rlim_t patience_s = 30;  // of computing: a busy host takes nothing from it
  const rlimit patience{patience_s, patience_s};
  setrlimit(RLIMIT_CPU, &patience);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  try {
    ProgramCopy::load(image, 0);
  } catch (const std::exception&) {
    // Loading again, the launcher finds it and says it.
  }
  leave(0);
}

}  // namespace

std::string loader_crash(int signal) {
  const bool late = signal == 0 || signal == SIGXCPU || signal == SIGKILL;
  return late ? std::string(
                    "the dynamic loader does not come to an end with it: damaged? Build it again")
              : std::string("the dynamic loader crashed on it (") + strsignal(signal) +
                    "): damaged? Build it again";
}

void try_loading(const ProgramImage& image) {
  const auto child = static_cast<pid_t>(fork());
  if (child < 0) return;  // loading will tell
  if (child == 0) load_in_child(image);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return;
  }
  if (WIFSIGNALED(status)) throw LoadError(image.path(), loader_crash(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) throw LoadError(image.path(), loader_crash(SIGABRT));
}

}  // namespace launch
