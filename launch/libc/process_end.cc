// Interposed libc: a process's start and end, which become its rank's.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "launch/libc/launcher_end.h"
#include "launch/libc/rank_signals.h"
#include "launch/libc/real.h"

using launch::ending_program_or_null;
using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

using StartMain = int(RankProgram::Main, int, char**, launch::ProgramCopy::Function, void (*)(),
                      void (*)(), void*);

/// True if the object or library that `dso_handle` stands for belongs to the rank's copy.
RankProgram* owner_or_null(const void* dso_handle) {
  RankProgram* program = running_program_or_null();
  return program != nullptr && program->copy().contains(dso_handle) ? program : nullptr;
}

}  // namespace

extern "C" {

int __libc_start_main(RankProgram::Main main, int argc, char** argv,
                      launch::ProgramCopy::Function init, void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  if (RankProgram* program = running_program_or_null()) {
    program->start(main, argc, argv, init, fini);
  }
  // The launcher's own start.
  return real_function<StartMain>("__libc_start_main")(main, argc, argv, init, fini, rtld_fini,
                                                       stack_end);
}

void exit(int status) noexcept {
  if (RankProgram* program = ending_program_or_null("exit()")) program->exit(status);
  launch::exit_launcher(status);
}

void _exit(int status) {
  if (RankProgram* program = ending_program_or_null("_exit()")) program->exit_early(status);
  launch::exit_launcher_early(status);
}

void _Exit(int status) noexcept { _exit(status); }

void quick_exit(int status) noexcept {
  if (RankProgram* program = ending_program_or_null("quick_exit()")) program->quick_exit(status);
  real_function<void(int)>("quick_exit")(status);
  __builtin_unreachable();
}

void abort() noexcept {
  if (RankProgram* program = ending_program_or_null("abort()")) {
    // A handler, the program's own or the one that reports crashes, may not come back.
    struct sigaction action {};
    if (launch::RankSignals* const rank = launch::rank_signals_or_null()) {
      sigset_t abort_alone;
      sigemptyset(&abort_alone);
      sigaddset(&abort_alone, SIGABRT);
      rank->change_mask(SIG_UNBLOCK, &abort_alone, nullptr);
      raise(SIGABRT);
      rank->set_action(SIGABRT, &action, nullptr);
    }
    const auto real =
        real_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
    if (real(SIGABRT, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
      real_function<int(int)>("raise")(SIGABRT);
    }
    program->abort();
  }
  launch::abort_launcher();
}

// The only thread of a program: its end is the program's.
void pthread_exit(void* result) {
  if (RankProgram* program = ending_program_or_null("pthread_exit()")) {
    if (program->thread_keys != nullptr) program->thread_keys->destroy_values();
    program->exit(0);
  }
  real_function<void(void*)>("pthread_exit")(result);
  __builtin_unreachable();
}

int __cxa_atexit(void (*function)(void*), void* argument, void* dso_handle) {
  if (RankProgram* program = owner_or_null(dso_handle)) {
    program->add_exit_handler({function, nullptr, argument});
    return 0;
  }
  static const auto real = real_function<int(void (*)(void*), void*, void*)>("__cxa_atexit");
  return real(function, argument, dso_handle);
}

int __cxa_at_quick_exit(void (*function)(void*), void* dso_handle) {
  if (RankProgram* program = owner_or_null(dso_handle)) {
    program->add_quick_exit_handler(function);
    return 0;
  }
  static const auto real = real_function<int(void (*)(void*), void*)>("__cxa_at_quick_exit");
  return real(function, dso_handle);
}

int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso_handle) {
  if (RankProgram* program = owner_or_null(dso_handle)) {
    program->add_thread_exit_handler(function, object);
    return 0;
  }
  static const auto real =
      real_function<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl");
  return real(function, object, dso_handle);
}

int on_exit(void (*function)(int, void*), void* argument) noexcept {
  if (RankProgram* program = running_program_or_null()) {
    program->add_exit_handler({nullptr, function, argument});
    return 0;
  }
  return real_function<int(void (*)(int, void*), void*)>("on_exit")(function, argument);
}

}  // extern "C"

namespace launch {

void exit_launcher(int status) {
  real_function<void(int)>("exit")(status);
  __builtin_unreachable();
}

void exit_launcher_early(int status) {
  real_function<void(int)>("_exit")(status);
  __builtin_unreachable();
}

void abort_launcher() {
  real_function<void()>("abort")();
  __builtin_unreachable();
}

}  // namespace launch
