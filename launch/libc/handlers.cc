// Interposed libstdc++: the handlers of std::terminate() and of operator new, here the rank's own.
// libstdc++ itself asks for them by the functions below.
#include "launch/libc/real.h"
#include "launch/libc/sequence_state.h"

namespace launch {
namespace {

using Handler = void (*)();
using Get = Handler();
using Set = Handler(Handler);

/// The calling rank's; null if it has none, or no rank calls: then libstdc++'s counts.
Handler own_or_null(Handler SequenceState::*which) {
  const RankProgram* program = running_program_or_null();
  if (program == nullptr || program->sequences == nullptr) return nullptr;
  return (*program->sequences).*which;
}

}  // namespace

extern "C" Handler get_terminate() noexcept __asm__("_ZSt13get_terminatev");
extern "C" Handler set_terminate(Handler handler) noexcept __asm__("_ZSt13set_terminatePFvvE");
extern "C" Handler get_new_handler() noexcept __asm__("_ZSt15get_new_handlerv");
extern "C" Handler set_new_handler(Handler handler) noexcept __asm__("_ZSt15set_new_handlerPFvvE");

extern "C" Handler get_terminate() noexcept {
  static const auto real = real_function<Get>("_ZSt13get_terminatev");
  const Handler own = own_or_null(&SequenceState::terminate);
  return own != nullptr ? own : real();
}

extern "C" Handler set_terminate(Handler handler) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<Set>("_ZSt13set_terminatePFvvE")(handler);
  const Handler before = get_terminate();
  sequence_state(*program).terminate = handler;
  return before;
}

extern "C" Handler get_new_handler() noexcept {
  static const auto real = real_function<Get>("_ZSt15get_new_handlerv");
  const Handler own = own_or_null(&SequenceState::out_of_memory);
  return own != nullptr ? own : real();
}

extern "C" Handler set_new_handler(Handler handler) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<Set>("_ZSt15set_new_handlerPFvvE")(handler);
  const Handler before = get_new_handler();
  sequence_state(*program).out_of_memory = handler;
  return before;
}

}  // namespace launch
