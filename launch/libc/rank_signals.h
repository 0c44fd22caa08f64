// A rank's signals: what a process has of its own, in virtual time.
#pragma once

#include <signal.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/threads/process.h"
#include "launch/libc/rank_program.h"
#include "launch/libc/signal_host.h"

namespace launch {

class RankTimer;

/// Actions, mask, pending signals and timers of one rank. What the rank sends itself is delivered
/// before the call that sends it returns; what a timer or another process sends, at the end of the
/// library call in which it finds the rank, or in it, if the rank waits there. All of it happens in
/// virtual time, on the rank's main thread.
class RankSignals final : public RankPart, public corespec::Aside, public corespec::Event {
 public:
  RankSignals(RankProgram& program, corespec::Process& process, corespec::Thread& main,
              SignalHost& host);
  ~RankSignals() override;
  RankSignals(const RankSignals&) = delete;
  RankSignals& operator=(const RankSignals&) = delete;

  /// sigaction(): 0 or errno.
  int set_action(int number, const struct sigaction* action, struct sigaction* before);
  /// sigprocmask(): 0 or errno.
  int change_mask(int how, const sigset_t* set, sigset_t* before);
  sigset_t pending() const;
  stack_t& alternate_stack() { return alternate_stack_; }

  /// From the rank itself. Returns if the signal does not end it.
  void send(int number, siginfo_t info);
  /// From elsewhere: in an event of the rank's node.
  void post(int number, const siginfo_t& info);
  /// Delivers a fault of the rank's own, or what the kernel has sent for what it did, in the
  /// signal's handler. False if its action is the default.
  bool deliver_here(int number, siginfo_t* info, void* context);
  /// From another process: posted at `at`, no earlier than anything has happened.
  void post_at(corespec::Time at, int number);
  bool handles(int number) const;

  /// Waits until a handler has run, with `mask` meanwhile, if it is not null.
  void suspend(const sigset_t* mask);
  /// sigtimedwait(): waits for one of the set until `deadline`; its number, or 0.
  int wait_for(const sigset_t& set, siginfo_t* info, corespec::Time deadline);
  /// Handlers that have run so far: a call that sleeps is interrupted if there are more afterwards.
  std::uint64_t handled() const { return handled_; }
  /// A jump out of all handlers under way: the mask is as before them.
  void leave_handlers();

  /// By number; the first three are setitimer()'s. Null if there is none.
  RankTimer* timer(std::size_t number);
  std::size_t make_timer(clockid_t clock, int signal, sigval value);
  void remove_timer(std::size_t number);

  corespec::Thread& main() const { return main_; }
  SignalHost& host() const { return host_; }

  // RankPart, Aside, Event
  void program_ended() override;
  void run() override;
  void fire(std::uint64_t number) override;

 private:
  struct Pending {
    int number;
    siginfo_t info;
  };

  bool blocked(int number) const { return sigismember(&mask_, number) == 1; }
  struct sigaction& action(int number) {
    return actions_[static_cast<std::size_t>(number)];
  }
  const struct sigaction& action(int number) const {
    return actions_[static_cast<std::size_t>(number)];
  }
  void add_pending(int number, const siginfo_t& info);
  void deliver_pending();
  void perform(int number, siginfo_t& info, void* context);
  void run_handler(int number, siginfo_t& info, void* context);

  RankProgram& program_;
  corespec::Process& process_;
  corespec::Thread& main_;
  SignalHost& host_;
  std::array<struct sigaction, NSIG> actions_{};
  sigset_t mask_;
  sigset_t before_handlers_;  ///< the mask, while handlers run
  int handlers_running_ = 0;
  std::deque<Pending> pending_;
  std::uint64_t handled_ = 0;
  stack_t alternate_stack_{};
  std::vector<std::unique_ptr<RankTimer>> timers_;
};

/// The calling rank's, made on first use; null if no rank calls, or another thread than its main
/// one, or there is no machine under it.
RankSignals* rank_signals_or_null();
/// The same without making it.
RankSignals* existing_rank_signals_or_null();

/// A signal from another process, for which ranks have handlers, is noted, and `notice` called, in
/// the signal's handler; pass_on_foreign_signals() then posts it to them, at `now`, when no event
/// is being handled. Without a notice such signals are the launcher's.
void set_foreign_signal_notice(void (*notice)());
void pass_on_foreign_signals(corespec::Time now);

}  // namespace launch
