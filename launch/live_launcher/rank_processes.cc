// The processes of a live job on this host: start, signals, ends.
#include "launch/live_launcher/rank_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>

#include "corespec/host/what_happened.h"
#include "launch/description/options.h"

namespace launch {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// A process that goes on after SIGXCPU is killed some seconds later.
void limit_cpu_time(double seconds) {
  constexpr rlim_t grace_s = 5;
  const auto soft = static_cast<rlim_t>(std::ceil(seconds));
  const rlimit limit{soft, soft + grace_s};
  setrlimit(RLIMIT_CPU, &limit);
}

/// This process's children, by the kernel's account.
std::set<pid_t> children(pid_t self) {
  std::set<pid_t> found;
  std::ifstream list(fmt::format("/proc/self/task/{}/children", self));
  for (pid_t child = 0; list >> child;) found.insert(child);
  return found;
}

/// As of waitpid().
int status_of(const siginfo_t& info) {
  constexpr int core = 0x80;
  if (info.si_code == CLD_EXITED) return W_EXITCODE(info.si_status, 0);
  return W_EXITCODE(0, info.si_status) | (info.si_code == CLD_DUMPED ? core : 0);
}

}  // namespace

RankProcesses::RankProcesses() : self_(getpid()), others_(children(self_)) {
  sigprocmask(SIG_SETMASK, nullptr, &mask_);
  broken_pipe_ = signal(SIGPIPE, SIG_DFL);
  signal(SIGPIPE, broken_pipe_);
  // Ignored, which a process inherits, children would go without leaving a status.
  child_ended_ = signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  getrlimit(RLIMIT_NOFILE, &descriptors_);
  rlimit most = descriptors_;
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
}

void RankProcesses::end() {
  send_signal(SIGKILL);
  await_all();
}

void RankProcesses::start(int rank, const Program& program,
                          const std::vector<std::string>& environment, const Output& output) {
  const std::vector<char*> arguments = pointers(program.arguments);
  const std::vector<char*> variables = pointers(environment);
  int failure[2];  // closed by a successful exec
  if (pipe2(failure, O_CLOEXEC) != 0) throw std::runtime_error(corespec::no_descriptor("ranks"));
  const pid_t child = fork();
  if (child == 0) {
    // Only what a copy of one thread of several may do: the C library's locks may be held.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self_) _exit(EXIT_FAILURE);  // it died before the line above
    if (rank != 0) {
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      if (nothing != STDIN_FILENO) close(nothing);
    }
    if (output.output >= 0) dup2(output.output, STDOUT_FILENO);
    if (output.errors >= 0) dup2(output.errors, STDERR_FILENO);
    if (output.states >= 0) fcntl(output.states, F_SETFD, 0);
    setrlimit(RLIMIT_NOFILE, &descriptors_);
    if (program.cpu_limit_s > 0) limit_cpu_time(program.cpu_limit_s);
    signal(SIGPIPE, broken_pipe_);
    signal(SIGCHLD, child_ended_);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
    execve(program.path.c_str(), arguments.data(), variables.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(failure[1], &reason, sizeof reason);
    _exit(EXIT_FAILURE);
  }
  close(failure[1]);
  int reason = child < 0 ? errno : 0;
  if (child > 0) {
    while (read(failure[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
  }
  close(failure[0]);
  if (child < 0) {
    throw std::runtime_error(
        fmt::format("rank {}: no process for it: {}", rank, std::strerror(reason)));
  }
  if (reason != 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw UsageError(fmt::format("{}: {}", program.path, std::strerror(reason)));
  }
  ranks_[child] = {rank, static_cast<int>(syscall(SYS_pidfd_open, child, 0)), false};
  ++living_;
}

void RankProcesses::watch(std::vector<pollfd>& ready) const {
  for (const auto& [child, rank] : ranks_) {
    if (rank.descriptor >= 0) ready.push_back({rank.descriptor, POLLIN, 0});
  }
}

std::vector<RankProcesses::Ended> RankProcesses::ended() {
  std::vector<Ended> ended;
  siginfo_t any{};
  waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT);
  if (any.si_pid == 0) return ended;
  for (auto& [child, rank] : ranks_) {
    siginfo_t info{};
    if (rank.ended ||
        waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != child) {
      continue;
    }
    ended.push_back({rank.number, status_of(info)});
    rank.ended = true;
    --living_;
    if (rank.descriptor >= 0) close(std::exchange(rank.descriptor, -1));
  }
  return ended;
}

void RankProcesses::reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const auto found = ranks_.find(info.si_pid);
    if (found != ranks_.end() && !found->second.ended) return;  // since the last look
    if (waitpid(info.si_pid, nullptr, WNOHANG) != info.si_pid) return;
    if (found != ranks_.end()) ranks_.erase(found);
  }
}

void RankProcesses::send_signal(int number) const {
  for (const auto& [child, rank] : ranks_) {
    if (!rank.ended) kill(child, number);
  }
}

/// Also what ranks have left behind: killed processes hand their own children over to this one.
void RankProcesses::await_all() {
  const auto await = [](pid_t child) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  };
  for (const auto& [child, rank] : ranks_) {
    await(child);
    if (rank.descriptor >= 0) close(rank.descriptor);
  }
  ranks_.clear();
  living_ = 0;
  const auto left = [this] {
    std::set<pid_t> found = children(self_);
    for (const pid_t other : others_) found.erase(other);
    return found;
  };
  for (std::set<pid_t> found = left(); !found.empty(); found = left()) {
    for (const pid_t child : found) {
      kill(child, SIGKILL);
      await(child);
    }
  }
}

}  // namespace launch
