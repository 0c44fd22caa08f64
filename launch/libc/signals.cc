// Interposed libc: signals, which on a rank are its own.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>

#include "corespec/threads/thread.h"
#include "launch/libc/rank_signals.h"
#include "launch/libc/real.h"

using corespec::Time;
using launch::existing_rank_signals_or_null;
using launch::rank_signals_or_null;
using launch::RankSignals;
using launch::real_function;

namespace {

/// A result as libc's functions give it.
int with_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

bool is_signal(int number) { return number > 0 && number < NSIG; }

/// Sends the calling rank a signal; 0 or errno.
int send_to_self(RankSignals& rank, int number, int code, sigval value = {}) {
  if (number == 0) return 0;
  if (!is_signal(number)) return EINVAL;
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = value;
  rank.send(number, info);
  return 0;
}

sighandler_t set_handler(int number, sighandler_t handler, int flags) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

using Jump = void(__jmp_buf_tag*, int);

/// A jump out of a handler ends it, and those below it.
[[noreturn]] void jump(const char* name, __jmp_buf_tag* to, int value) {
  RankSignals* const rank = existing_rank_signals_or_null();
  if (rank != nullptr && to->__mask_was_saved != 0) rank->leave_handlers();
  real_function<Jump>(name)(to, value);
  __builtin_unreachable();
}

/// Time::max() for none.
Time deadline_of(RankSignals& rank, const timespec* timeout) {
  if (timeout == nullptr) return Time::max();
  return rank.main().now() +
         Time::seconds(static_cast<double>(timeout->tv_sec) + timeout->tv_nsec * 1e-9);
}

}  // namespace

extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction")(
        number, action, before);
  }
  return with_errno(rank->set_action(number, action, before));
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (rank_signals_or_null() == nullptr) {
    return real_function<sighandler_t(int, sighandler_t)>("signal")(number, handler);
  }
  return set_handler(number, handler, SA_RESTART);
}

sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
  if (rank_signals_or_null() == nullptr) {
    return real_function<sighandler_t(int, sighandler_t)>("sysv_signal")(number, handler);
  }
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  return sysv_signal(number, handler);
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(int, const sigset_t*, sigset_t*)>("sigprocmask")(how, set, before);
  }
  return with_errno(rank->change_mask(how, set, before));
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(int, const sigset_t*, sigset_t*)>("pthread_sigmask")(how, set, before);
  }
  return rank->change_mask(how, set, before);
}

int sigpending(sigset_t* set) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int(sigset_t*)>("sigpending")(set);
  *set = rank->pending();
  return 0;
}

int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(const stack_t*, stack_t*)>("sigaltstack")(stack, before);
  }
  if (before != nullptr) *before = rank->alternate_stack();
  if (stack != nullptr) rank->alternate_stack() = *stack;
  return 0;
}

int raise(int number) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int(int)>("raise")(number);
  return with_errno(send_to_self(*rank, number, SI_TKILL));
}

int kill(pid_t process, int number) noexcept {
  RankSignals* const rank = process == getpid() ? rank_signals_or_null() : nullptr;
  if (rank == nullptr) return real_function<int(pid_t, int)>("kill")(process, number);
  return with_errno(send_to_self(*rank, number, SI_USER));
}

int sigqueue(pid_t process, int number, const sigval value) noexcept {
  RankSignals* const rank = process == getpid() ? rank_signals_or_null() : nullptr;
  if (rank == nullptr) {
    return real_function<int(pid_t, int, sigval)>("sigqueue")(process, number, value);
  }
  return with_errno(send_to_self(*rank, number, SI_QUEUE, value));
}

int pthread_kill(pthread_t thread, int number) noexcept {
  RankSignals* const rank =
      pthread_equal(thread, pthread_self()) != 0 ? rank_signals_or_null() : nullptr;
  if (rank == nullptr) return real_function<int(pthread_t, int)>("pthread_kill")(thread, number);
  return send_to_self(*rank, number, SI_TKILL);
}

int tgkill(pid_t process, pid_t thread, int number) {
  RankSignals* const rank =
      process == getpid() && thread == gettid() ? rank_signals_or_null() : nullptr;
  if (rank == nullptr)
    return real_function<int(pid_t, pid_t, int)>("tgkill")(process, thread, number);
  return with_errno(send_to_self(*rank, number, SI_TKILL));
}

int pause() {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int()>("pause")();
  {
    const corespec::LibraryCall call("pause");
    rank->suspend(nullptr);
  }
  return with_errno(EINTR);
}

int sigsuspend(const sigset_t* mask) {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int(const sigset_t*)>("sigsuspend")(mask);
  {
    const corespec::LibraryCall call("sigsuspend");
    rank->suspend(mask);
  }
  return with_errno(EINTR);
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(const sigset_t*, siginfo_t*, const timespec*)>("sigtimedwait")(
        set, info, timeout);
  }
  int found = 0;
  {
    const corespec::LibraryCall call("sigtimedwait");
    found = rank->wait_for(*set, info, deadline_of(*rank, timeout));
  }
  return found != 0 ? found : with_errno(EAGAIN);
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (rank_signals_or_null() == nullptr) {
    return real_function<int(const sigset_t*, siginfo_t*)>("sigwaitinfo")(set, info);
  }
  return sigtimedwait(set, info, nullptr);
}

int sigwait(const sigset_t* set, int* number) {
  if (rank_signals_or_null() == nullptr) {
    return real_function<int(const sigset_t*, int*)>("sigwait")(set, number);
  }
  *number = sigtimedwait(set, nullptr, nullptr);
  return 0;
}

void siglongjmp(sigjmp_buf to, int value) noexcept { jump("siglongjmp", to, value); }
void longjmp(jmp_buf to, int value) noexcept { jump("longjmp", to, value); }
void __longjmp_chk(jmp_buf to, int value) noexcept { jump("__longjmp_chk", to, value); }

}  // extern "C"
