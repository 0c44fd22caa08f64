// The common course of DMAPP functions: the calling PE, how a transfer is begun and completed.
#pragma once

#include <cstdint>

#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/dmapp/pe_state.h"

namespace dmapp {

/// Runs the body of a function that needs dmapp_init: of `function`.
template <typename Body>
dmapp_return_t call_of(const char* function, const Body& body) {
  const corespec::LibraryCall library_call(function);
  State* state = this_state();
  if (state == nullptr) return DMAPP_RC_INVALID_PARAM;
  const corespec::DomainHold hold(corespec::this_thread_or_null());
  return body(*state);
}
/// The same of the function that calls this.
template <typename Body>
dmapp_return_t call(const Body& body, const char* function = __builtin_FUNCTION()) {
  return call_of(function, body);
}

/// How a transfer is completed, and the function that it is of.
struct Ending {
  enum class Kind : std::uint8_t { here, by_id, all_together };
  const char* function;
  Kind kind = Kind::here;
  dmapp_syncid_handle_t* syncid = nullptr;  ///< by_id
  bool valid() const { return kind != Kind::by_id || syncid != nullptr; }
};
constexpr Ending blocking(const char* function) { return {function}; }
constexpr Ending implicit(const char* function) { return {function, Ending::Kind::all_together}; }
constexpr Ending by_id(const char* function, dmapp_syncid_handle_t* syncid) {
  return {function, Ending::Kind::by_id, syncid};
}

/// The result that a completion stands for; the completion starts anew.
dmapp_return_t take_result(rma::Completion& completion);

/// An id for a transfer, and its end.
dmapp_syncid_handle_t make_syncid(State& state);
void drop_syncid(State& state, dmapp_syncid_handle_t syncid);

/// `begin(State&, rma::Completion&)` posts everything, and waits for room where it must. Its
/// arguments have been checked by `check(State&)`, which returns an error or success.
template <typename Check, typename Begin>
dmapp_return_t transfer(const Ending& ending, const Check& check, const Begin& begin) {
  const auto body = [&](State& state) {
    if (!ending.valid()) return DMAPP_RC_INVALID_PARAM;
    if (state.checkpointed) return DMAPP_RC_BUSY;
    const dmapp_return_t checked = check(state);
    if (checked != DMAPP_RC_SUCCESS) return checked;
    rma::RmaPort& port = state.port();
    if (ending.kind == Ending::Kind::here) {
      rma::Completion completion{.tells_bad_memory = true};
      begin(state, completion);
      port.wait(completion);
      return take_result(completion);
    }
    if (port.outstanding() >= port.settings().most_outstanding) port.poll();
    if (port.outstanding() >= port.settings().most_outstanding) return DMAPP_RC_RESOURCE_ERROR;
    if (ending.kind == Ending::Kind::all_together) {
      begin(state, state.implicit);
    } else {
      *ending.syncid = make_syncid(state);
      begin(state, (*ending.syncid)->completion);
    }
    return DMAPP_RC_SUCCESS;
  };
  return call_of(ending.function, body);
}

/// Bytes of an element; 0 if there is no such type.
constexpr std::uint64_t bytes_of(dmapp_type_t type) {
  switch (type) {
    case DMAPP_DQW:
      return 16;
    case DMAPP_QW:
      return 8;
    case DMAPP_DW:
      return 4;
    case DMAPP_BYTE:
      return 1;
    default:
      return 0;
  }
}

}  // namespace dmapp
