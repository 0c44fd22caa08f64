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

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <utility>

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

/// Some ten microseconds, which is longer than most waits.
constexpr unsigned most_looks = 2000;

std::vector<SharedRoundsMemory::Range> ranges_of(const std::vector<std::size_t>& counts) {
  std::vector<SharedRoundsMemory::Range> ranges;
  std::size_t begin = 0;
  for (const std::size_t count : counts) {
    ranges.push_back({begin, begin + count});
    begin += count;
  }
  return ranges;
}

}  // namespace

Workers::Workers(const std::vector<std::size_t>& counts, Hosts* hosts)
    : of_hosts_(ranges_of(counts)),
      own_(of_hosts_[hosts == nullptr ? 0 : hosts->own()]),
      memory_(of_hosts_.back().end),
      questions_(of_hosts_.back().end),
      number_(own_.begin) {
  make_processes();
  rounds_ = std::make_unique<SharedRounds>(memory_, number_, most_looks, [this] { look_around(); });
  if (hosts != nullptr && is_first_of_host()) make_courier(*hosts);
}

void Workers::make_processes() {
  const pid_t first = getpid();
  std::fflush(nullptr);  // or each would write what is in the buffers
  for (std::size_t number = own_.begin + 1; number < own_.end; ++number) {
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
}

void Workers::make_courier(Hosts& hosts) {
  HostCourier::Orders orders;
  orders.ask = [this](std::size_t worker) {
    if (worker != number_) kill(others_[worker - own_.begin - 1], SIGQUIT);
  };
  orders.end = [this](std::size_t worker, int status) { end_with(worker, status); };
  orders.lose = [this](std::size_t host, const char* what) { end_without(host, what); };
  orders.wait = [this] { look_around_here(); };
  // A look for parcels takes twenty times as long as one at memory.
  constexpr unsigned looks_at_memory = 20;
  courier_ =
      std::make_unique<HostCourier>(hosts.parcels(), of_hosts_, memory_, questions_, *rounds_,
                                    most_looks / looks_at_memory, std::move(orders));
  rounds_->set_courier(*courier_, own_);
  questions_.set_waiting([this] { courier_->look(); });
}

Workers::~Workers() {
  for (const pid_t each : others_) waitpid(each, nullptr, 0);
}

Part Workers::part() { return {number_, memory_.parts(), rounds_.get(), rounds_.get()}; }

void Workers::wake(std::size_t worker) const {
  if (own_.holds(worker)) {
    kill(others_[worker - own_.begin - 1], SIGQUIT);
  } else {
    courier_->ask(worker);
  }
}

/// The courier is not taken apart: it may be in ruins.
void Workers::be_copy(bool run_goes_on) {
  if (!courier_ || (!run_goes_on && !courier_->is_in_use())) return;
  static_cast<void>(courier_.release());
  questions_.set_waiting({});
}

void Workers::leave() {
  memory_.place(number_).has_left.store(true, std::memory_order_release);
  if (courier_) courier_->leave();
}

void Workers::prepare_to_fail() {
  for (const pid_t each : others_) kill(each, SIGKILL);
  constexpr int no_rank = -1;
  if (number_ != 0) questions_.have_written_out(number_, no_rank);
}

void Workers::look_around() {
  if (courier_) courier_->look();
  look_around_here();
}

void Workers::look_around_here() {
  if (waiting_) waiting_();
  look_for_ends();
}

void Workers::look_for_ends() {
  for (std::size_t at = 0; at < others_.size(); ++at) {
    const std::size_t worker = own_.begin + 1 + at;
    int status = 0;
    if (waitpid(others_[at], &status, WNOHANG) != others_[at]) continue;
    // The last meeting may be over for another worker before it is for this one.
    if (!memory_.place(worker).has_left.load(std::memory_order_acquire)) end_with(worker, status);
  }
}

/// One that has ended by itself with a code has said why.
void Workers::end_with(std::size_t worker, int status) {
  if (before_end_) before_end_(worker);
  for (const pid_t other : others_) kill(other, SIGKILL);
  if (number_ != 0) courier_->tell_end(worker, status);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) end_process(WEXITSTATUS(status));
  if (WIFEXITED(status)) {
    if (number_ == 0) fmt::print(stderr, "aprun: worker {} ended before the run\n", worker);
    end_process(1);
  }
  constexpr int signal_exit = 128;
  const int number = WTERMSIG(status);
  if (number_ == 0) {
    fmt::print(stderr, "aprun: worker {} was ended by SIG{} ({})\n", worker, sigabbrev_np(number),
               sigdescr_np(number));
  }
  end_process(signal_exit + number);
}

/// The launcher may have ended that host's process, and is about to end this one.
void Workers::end_without(std::size_t host, const char* what) {
  constexpr timespec enough{0, 300'000'000};
  syscall(SYS_nanosleep, &enough, nullptr);
  if (before_end_) before_end_(of_hosts_[host].begin);
  for (const pid_t other : others_) kill(other, SIGKILL);
  fmt::print(stderr, "aprun: --workers: the launcher's process {} {}\n", host, what);
  end_process(1);
}

}  // namespace launch
