// The calling thread of this OS thread: the one piece of state that is not passed down.
#pragma once

#include "corespec/threads/thread.h"

namespace corespec {

/// Makes `thread` the calling thread and returns the one before (null = none).
Thread* exchange_current_thread(Thread* thread);

/// The calling thread as far as it is known already: makes none. For signal handlers.
Thread* known_thread_or_null();

/// Makes threads of the machine out of OS threads that a program starts by itself: asked on the
/// first call of every OS thread that is none yet.
class ThreadAdopter {
 public:
  /// The calling OS thread's, which is to be its calling thread from now on; null for those that
  /// stay outside the machine, and which are asked about again at their next call.
  virtual Thread* adopt() = 0;

 protected:
  ~ThreadAdopter() = default;
};

/// Registers the process's adopter and returns the one before (null = none).
ThreadAdopter* exchange_thread_adopter(ThreadAdopter* adopter);

/// True if there is one: the process belongs to a machine, or has belonged to one.
bool has_thread_adopter();

/// One that takes no thread: a process's that has left its machine, or whose threads the machine
/// starts itself.
ThreadAdopter& no_more_threads();

}  // namespace corespec
