// A rank's signals.
#include "launch/libc/rank_signals.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "corespec/job/job.h"
#include "launch/libc/rank_timer.h"
#include "launch/libc/real.h"

namespace launch {
namespace {

int real_action(int number, const struct sigaction* action, struct sigaction* before) {
  static const auto real =
      real_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return real(number, action, before);
}

/// What the process does with signals, for all ranks: signal handlers have no other way to it.
struct Shared {
  /// By signal, once a rank has an action of its own for it: the launcher's.
  std::array<std::optional<struct sigaction>, NSIG> launchers;
  std::vector<RankSignals*> ranks;
  void (*notice)() = nullptr;
  std::array<volatile bool, NSIG> noted{};
  std::array<bool, NSIG> passed_on{};  ///< once; a second one is the launcher's
};
Shared shared;

bool is_fault(int number) {
  return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
         number == SIGTRAP || number == SIGSYS;
}

bool is_ignored_by_default(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

bool ends_from_outside(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

/// What would have happened if ranks had no actions of their own.
void do_launchers(int number, siginfo_t* info, void* context) {
  const struct sigaction launchers = *shared.launchers[static_cast<std::size_t>(number)];
  if (launchers.sa_handler == SIG_IGN) return;
  if (launchers.sa_handler == SIG_DFL) {
    struct sigaction action {};
    real_action(number, &action, nullptr);
    kill(getpid(), number);  // again
    return;
  }
  if ((launchers.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction action {};
    real_action(number, &action, nullptr);
  }
  // A fault of the launcher's handler is its own, not a rank's.
  if (is_fault(number)) real_action(number, &launchers, nullptr);
  if ((launchers.sa_flags & SA_SIGINFO) != 0) {
    launchers.sa_sigaction(number, info, context);
  } else {
    launchers.sa_handler(number);
  }
}

/// Notes what ranks handle; what has been noted before and is sent again is the launcher's.
bool note(int number) {
  if (shared.notice == nullptr) return false;
  const auto handles = [number](const RankSignals* rank) { return rank->handles(number); };
  if (std::none_of(shared.ranks.begin(), shared.ranks.end(), handles)) return false;
  const auto at = static_cast<std::size_t>(number);
  if (ends_from_outside(number) && std::exchange(shared.passed_on[at], true)) return false;
  shared.noted[at] = true;
  shared.notice();
  return true;
}

/// Every signal for which a rank has an action comes here.
void arrived(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool from_outside =
      info->si_code <= 0 && info->si_code != SI_TIMER && info->si_pid != getpid();
  bool done = false;
  if (from_outside) {
    done = note(number);
  } else if (RankSignals* const rank = existing_rank_signals_or_null()) {
    done = rank->deliver_here(number, info, context);
  }
  if (!done) do_launchers(number, info, context);
  errno = error;
}

void take_over(int number) {
  std::optional<struct sigaction>& launchers = shared.launchers[static_cast<std::size_t>(number)];
  if (launchers) return;
  struct sigaction action {};
  action.sa_sigaction = arrived;
  // Masks are the ranks' own. After an overflow there is no room on the rank's stack.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | (is_fault(number) ? SA_ONSTACK : 0);
  launchers.emplace();
  real_action(number, &action, &*launchers);
}

RankProgram* main_threads_program_or_null() {
  RankProgram* const program = running_program_or_null();
  if (program == nullptr) return nullptr;
  const corespec::Thread& thread = *corespec::this_thread_or_null();
  return thread.role() == corespec::ThreadRole::application ? program : nullptr;
}

}  // namespace

RankSignals* existing_rank_signals_or_null() {
  RankProgram* const program = main_threads_program_or_null();
  return program == nullptr ? nullptr : static_cast<RankSignals*>(program->signals.get());
}

RankSignals* rank_signals_or_null() {
  RankProgram* const program = main_threads_program_or_null();
  if (program == nullptr || program->signal_host == nullptr) return nullptr;
  if (program->signals == nullptr) {
    program->signals =
        std::make_unique<RankSignals>(*program, *corespec::this_process_or_null(),
                                      *corespec::this_thread_or_null(), *program->signal_host);
  }
  return static_cast<RankSignals*>(program->signals.get());
}

RankSignals::RankSignals(RankProgram& program, corespec::Process& process, corespec::Thread& main,
                         SignalHost& host)
    : program_(program), process_(process), main_(main), host_(host) {
  sigemptyset(&mask_);
  sigemptyset(&before_handlers_);
  alternate_stack_.ss_flags = SS_DISABLE;
  // What the launcher ignores, its children would, too.
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (real_action(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
      action(number).sa_handler = SIG_IGN;
    }
  }
  timers_.push_back(std::make_unique<RankTimer>(*this, CLOCK_MONOTONIC, SIGALRM, sigval{}, -1));
  timers_.push_back(
      std::make_unique<RankTimer>(*this, CLOCK_PROCESS_CPUTIME_ID, SIGVTALRM, sigval{}, -1));
  timers_.push_back(
      std::make_unique<RankTimer>(*this, CLOCK_PROCESS_CPUTIME_ID, SIGPROF, sigval{}, -1));
  shared.ranks.push_back(this);
}

RankSignals::~RankSignals() { std::erase(shared.ranks, this); }

void RankSignals::program_ended() {
  timers_.clear();
  pending_.clear();
  std::erase(shared.ranks, this);
}

// ---- actions and masks

int RankSignals::set_action(int number, const struct sigaction* wanted, struct sigaction* before) {
  if (number <= 0 || number >= NSIG) return EINVAL;
  if (wanted != nullptr && (number == SIGKILL || number == SIGSTOP)) return EINVAL;
  const struct sigaction earlier = action(number);
  if (wanted != nullptr) {
    action(number) = *wanted;
    if (wanted->sa_handler != SIG_DFL) take_over(number);
  }
  if (before != nullptr) *before = earlier;
  return 0;
}

bool RankSignals::handles(int number) const {
  return action(number).sa_handler != SIG_DFL && action(number).sa_handler != SIG_IGN;
}

int RankSignals::change_mask(int how, const sigset_t* set, sigset_t* before) {
  const sigset_t earlier = mask_;
  if (set != nullptr) {
    sigset_t inverse;
    sigfillset(&inverse);
    for (int number = 1; number < NSIG; ++number) {
      if (sigismember(set, number) == 1) sigdelset(&inverse, number);
    }
    switch (how) {
      case SIG_BLOCK:
        sigorset(&mask_, &earlier, set);
        break;
      case SIG_UNBLOCK:
        sigandset(&mask_, &earlier, &inverse);
        break;
      case SIG_SETMASK:
        mask_ = *set;
        break;
      default:
        return EINVAL;
    }
    sigdelset(&mask_, SIGKILL);
    sigdelset(&mask_, SIGSTOP);
  }
  if (before != nullptr) *before = earlier;
  deliver_pending();
  return 0;
}

sigset_t RankSignals::pending() const {
  sigset_t set;
  sigemptyset(&set);
  for (const Pending& each : pending_) sigaddset(&set, each.number);
  return set;
}

// ---- delivery

void RankSignals::add_pending(int number, const siginfo_t& info) {
  const auto is_same = [number](const Pending& each) { return each.number == number; };
  // Of the old signals one waits at most.
  if (number < SIGRTMIN && std::any_of(pending_.begin(), pending_.end(), is_same)) return;
  pending_.push_back({number, info});
}

void RankSignals::deliver_pending() {
  for (;;) {
    const auto next = std::find_if(pending_.begin(), pending_.end(),
                                   [this](const Pending& each) { return !blocked(each.number); });
    if (next == pending_.end()) return;
    Pending taken = *next;
    pending_.erase(next);
    perform(taken.number, taken.info, nullptr);
  }
}

void RankSignals::run() {
  if (program_.running()) deliver_pending();
}

void RankSignals::send(int number, siginfo_t info) {
  if (blocked(number)) {
    add_pending(number, info);
  } else {
    perform(number, info, nullptr);
  }
}

void RankSignals::post(int number, const siginfo_t& info) {
  if (!program_.running()) return;
  add_pending(number, info);
  host_.call_aside(main_, *this);
}

void RankSignals::fire(std::uint64_t number) {
  siginfo_t info{};
  info.si_signo = static_cast<int>(number);
  info.si_code = SI_USER;
  post(static_cast<int>(number), info);
}

void RankSignals::post_at(corespec::Time at, int number) {
  host_.schedule(main_, std::max(at, host_.now(main_)), *this, static_cast<std::uint64_t>(number));
}

bool RankSignals::deliver_here(int number, siginfo_t* info, void* context) {
  if (action(number).sa_handler == SIG_IGN && !is_fault(number)) return true;
  if (!handles(number)) return false;
  run_handler(number, *info, context);
  return true;
}

void RankSignals::perform(int number, siginfo_t& info, void* context) {
  if (handles(number)) {
    run_handler(number, info, context);
    return;
  }
  if (action(number).sa_handler == SIG_IGN || is_ignored_by_default(number)) return;
  if (number == SIGKILL) process_.job().abort(process_, 128 + SIGKILL, "Killed");
  // The launcher's handler says whose signal has ended the job.
  real_function<int(int)>("raise")(number);
}

void RankSignals::run_handler(int number, siginfo_t& info, void* context) {
  const struct sigaction taken = action(number);
  if ((taken.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) action(number).sa_handler = SIG_DFL;
  const sigset_t earlier = mask_;
  if (handlers_running_++ == 0) before_handlers_ = mask_;
  sigorset(&mask_, &earlier, &taken.sa_mask);
  if ((taken.sa_flags & SA_NODEFER) == 0) sigaddset(&mask_, number);
  ++handled_;
  if ((taken.sa_flags & SA_SIGINFO) != 0) {
    taken.sa_sigaction(number, &info, context);
  } else {
    taken.sa_handler(number);
  }
  if (handlers_running_ > 0) --handlers_running_;
  mask_ = earlier;
  deliver_pending();
}

void RankSignals::leave_handlers() {
  if (std::exchange(handlers_running_, 0) != 0) mask_ = before_handlers_;
}

// ---- waiting

void RankSignals::suspend(const sigset_t* mask) {
  const std::uint64_t before = handled_;
  const sigset_t earlier = mask_;
  if (mask != nullptr) change_mask(SIG_SETMASK, mask, nullptr);
  while (handled_ == before) main_.sleep_until(corespec::Time::max());
  if (mask != nullptr) change_mask(SIG_SETMASK, &earlier, nullptr);
}

int RankSignals::wait_for(const sigset_t& set, siginfo_t* info, corespec::Time deadline) {
  // What is waited for is blocked, or should be: then it is not handled meanwhile.
  const sigset_t earlier = mask_;
  sigorset(&mask_, &earlier, &set);
  int found = 0;
  for (;;) {
    const auto next = std::find_if(pending_.begin(), pending_.end(), [&set](const Pending& each) {
      return sigismember(&set, each.number) == 1;
    });
    if (next != pending_.end()) {
      found = next->number;
      if (info != nullptr) *info = next->info;
      pending_.erase(next);
      break;
    }
    if (main_.now() >= deadline) break;
    main_.sleep_until(deadline);
  }
  mask_ = earlier;
  return found;
}

// ---- timers

RankTimer* RankSignals::timer(std::size_t number) {
  return number < timers_.size() ? timers_[number].get() : nullptr;
}

std::size_t RankSignals::make_timer(clockid_t clock, int signal, sigval value) {
  auto free = std::find(timers_.begin(), timers_.end(), nullptr);
  if (free == timers_.end()) free = timers_.insert(timers_.end(), nullptr);
  const auto number = static_cast<std::size_t>(free - timers_.begin());
  *free = std::make_unique<RankTimer>(*this, clock, signal, value, static_cast<int>(number));
  return number;
}

void RankSignals::remove_timer(std::size_t number) { timers_[number].reset(); }

// ---- from other processes

void set_foreign_signal_notice(void (*notice)()) {
  shared.notice = notice;
  shared.passed_on = {};
}

void pass_on_foreign_signals(corespec::Time now) {
  for (int number = 1; number < NSIG; ++number) {
    if (!shared.noted[static_cast<std::size_t>(number)]) continue;
    shared.noted[static_cast<std::size_t>(number)] = false;
    for (RankSignals* const rank : shared.ranks) {
      if (rank->handles(number)) rank->post_at(now, number);
    }
  }
}

}  // namespace launch
