// Starting and ending workers.
#include "launch/workers/workers.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace launch {

std::size_t own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

namespace {

/// Not _exit(), which is interposed and would end a rank alone.
[[noreturn]] void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

/// Some ten microseconds, which is longer than most waits; none where a CPU is short.
unsigned looks_of(std::size_t workers) {
  constexpr unsigned while_cpus_last = 2000;
  return workers <= own_cpus() ? while_cpus_last : 1;
}

}  // namespace

Workers::Workers(std::size_t count) : memory_(count), questions_(count) {
  const pid_t first = getpid();
  std::fflush(nullptr);  // or each would write what is in the buffers
  for (std::size_t number = 1; number < count; ++number) {
    const pid_t made = fork();
    if (made < 0) {
      const int error = errno;
      for (const pid_t each : others_) kill(each, SIGKILL);
      throw std::runtime_error(
          fmt::format("--workers: no process for worker {}: {}", number, strerror(error)));
    }
    if (made > 0) {
      others_.push_back(made);
      continue;
    }
    number_ = number;
    others_.clear();
    // What a terminal or a user sends is for the first one, which ends the others.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != first) end_process(1);
    break;
  }
  rounds_ = std::make_unique<SharedRounds>(memory_, number_, looks_of(count), [this] { wait(); });
}

Workers::~Workers() {
  for (const pid_t each : others_) waitpid(each, nullptr, 0);
}

Part Workers::part() { return {number_, memory_.parts(), rounds_.get(), rounds_.get()}; }

void Workers::signal(std::size_t worker, int number) const { kill(others_[worker - 1], number); }

void Workers::prepare_to_fail() {
  for (const pid_t each : others_) kill(each, SIGKILL);
  constexpr int no_rank = -1;
  if (number_ != 0) questions_.have_written_out(number_, no_rank);
}

void Workers::wait() {
  if (waiting_) waiting_();
  look_for_ends();
}

void Workers::look_for_ends() {
  for (std::size_t at = 0; at < others_.size(); ++at) {
    int status = 0;
    if (waitpid(others_[at], &status, WNOHANG) == others_[at]) end_with(at + 1, status);
  }
}

/// One that has ended by itself has said why.
void Workers::end_with(std::size_t worker, int status) {
  if (before_end_) before_end_();
  for (const pid_t other : others_) kill(other, SIGKILL);
  if (WIFEXITED(status)) end_process(WEXITSTATUS(status));
  constexpr int signal_exit = 128;
  const int number = WTERMSIG(status);
  fmt::print(stderr, "aprun: worker {} was ended by SIG{} ({})\n", worker, sigabbrev_np(number),
             sigdescr_np(number));
  end_process(signal_exit + number);
}

}  // namespace launch
