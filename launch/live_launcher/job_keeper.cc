// What clears a live job away when its launcher is killed.
#include "launch/live_launcher/job_keeper.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "corespec/host/what_happened.h"

namespace launch {
namespace {

/// A reader of the launcher's output must not wait for this process, too.
void close_all_but(int descriptor) {
  const auto kept = static_cast<unsigned>(descriptor);
  if (kept > 0) close_range(0, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

/// The launcher's end of the connection is closed before the kernel gives its children another
/// parent, so that these do not say whether it has been killed: a launcher that ends in order says
/// so.
[[noreturn]] void keep(int launcher_lives, const std::function<void()>& clear) {
  prctl(PR_SET_NAME, "castor-keeper");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  close_all_but(launcher_lives);
  char in_order = 0;
  ssize_t got = 0;
  while ((got = recv(launcher_lives, &in_order, 1, 0)) < 0 && errno == EINTR) {
  }
  if (got != 1) clear();
  _exit(EXIT_SUCCESS);
}

}  // namespace

JobKeeper::JobKeeper(const std::function<void()>& clear) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(corespec::no_descriptor("the job's end"));
  }
  process_ = fork();
  const int reason = errno;
  if (process_ == 0) {
    close(ends[1]);
    keep(ends[0], clear);
  }
  close(ends[0]);
  launcher_lives_ = ends[1];
  if (process_ > 0) return;
  close(launcher_lives_);
  throw std::runtime_error(fmt::format("no process for the job's end: {}", std::strerror(reason)));
}

JobKeeper::~JobKeeper() {
  const char in_order = 'e';
  while (send(launcher_lives_, &in_order, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  close(launcher_lives_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace launch
