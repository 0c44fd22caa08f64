// Where another thread of a live process is, taken by the thread itself in a signal's handler.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <list>
#include <vector>

#include "corespec/threads/calling_context.h"

namespace launch {

/// For one thread that asks. The signal is SIGQUIT, whose handler has to give what it gets to
/// answered().
class ThreadContexts {
 public:
  /// The return addresses of the thread with the system's number `thread`; empty: it has not
  /// answered for `patience_ms`. Only a thread that runs is asked, which no system call's end tells
  /// of it; or one that is `asleep` in a library that goes on sleeping. The thread does not end
  /// meanwhile.
  std::vector<void*> of(int thread, bool asleep, int patience_ms);

  /// In the handler: true if the signal was a question of this process's, whose thread has
  /// answered.
  static bool answered(const siginfo_t& info);

 private:
  struct Question {
    std::array<void*, corespec::most_context> context{};
    std::atomic<std::size_t> found{0};  ///< 0: no answer yet
  };
  std::list<Question> unanswered_;  ///< a thread may still be writing its answer
};

}  // namespace launch
