// What a thread in virtual time is doing, and which changes of it there are.
#pragma once

#include <cstdint>

#include "corespec/host/check.h"

namespace corespec {

enum class ThreadState : std::uint8_t {
  running,   ///< has its CPU: works off a burst, or executes
  spinning,  ///< has its CPU, and polls
  ready,     ///< waits for a CPU
  blocked,
  finished
};

constexpr bool may_become(ThreadState from, ThreadState next) {
  switch (from) {
    case ThreadState::running:
      return true;
    case ThreadState::spinning:
      return next != ThreadState::finished;
    case ThreadState::ready:
      return next == ThreadState::running || next == ThreadState::spinning;
    case ThreadState::blocked:
      return next == ThreadState::ready;
    case ThreadState::finished:
      return false;
  }
  return false;
}

/// Holds every change against may_become().
class CheckedThreadState {
 public:
  explicit CheckedThreadState(ThreadState first) : state_(first) {}

  operator ThreadState() const { return state_; }  // compared like the state that it is

  void become(ThreadState next) {
    CASTOR_CHECK(may_become(state_, next), "a thread's state that cannot follow its last one");
    state_ = next;
  }

 private:
  ThreadState state_;
};

}  // namespace corespec
