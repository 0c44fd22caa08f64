// Interposed libc: the actions of signals. Where a rank asks for the default, it gets the
// launcher's, which says whose signal ended the job; and the launcher's it sees as the default.
#include <signal.h>

#include <array>
#include <optional>

#include "launch/libc/real.h"

using launch::real_function;
using launch::running_program_or_null;

namespace {

int real_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  static const auto real =
      real_function<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return real(number, action, before);
}

/// By signal, once a rank has looked at it or changed it. Ranks share them, as all actions.
std::array<std::optional<struct sigaction>, NSIG> launchers_actions;

/// The launcher's own handler for the signal, or null.
const struct sigaction* launchers_handler_or_null(int number) {
  if (number <= 0 || number >= NSIG) return nullptr;
  std::optional<struct sigaction>& own = launchers_actions[static_cast<std::size_t>(number)];
  if (!own) {
    struct sigaction now {};
    if (real_sigaction(number, nullptr, &now) != 0) return nullptr;
    own = now;
  }
  return own->sa_handler == SIG_DFL || own->sa_handler == SIG_IGN ? nullptr : &*own;
}

}  // namespace

extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  const bool of_rank = running_program_or_null() != nullptr;
  const struct sigaction* const own = of_rank ? launchers_handler_or_null(number) : nullptr;
  if (own == nullptr) return real_sigaction(number, action, before);
  const bool to_default = action != nullptr && action->sa_handler == SIG_DFL;
  const int result = real_sigaction(number, to_default ? own : action, before);
  if (result == 0 && before != nullptr && before->sa_handler == own->sa_handler) {
    *before = {};
    before->sa_handler = SIG_DFL;
  }
  return result;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (running_program_or_null() == nullptr) {
    return real_function<sighandler_t(int, sighandler_t)>("signal")(number, handler);
  }
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // extern "C"
