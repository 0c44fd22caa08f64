// The calling thread of this OS thread.
#include "corespec/virtual/current_thread.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "corespec/job/process.h"

namespace corespec {
namespace {

/// C entry points carry no context: "who calls" has to be found without an argument.
__attribute__((tls_model("initial-exec"))) thread_local Thread* current_thread = nullptr;

}  // namespace

Thread* exchange_current_thread(Thread* thread) { return std::exchange(current_thread, thread); }

Thread* this_thread_or_null() { return current_thread; }

Thread& this_thread() {
  if (current_thread == nullptr) {
    std::fputs("castor: internal error: a thread's function was called outside every thread\n",
               stderr);
    std::abort();
  }
  return *current_thread;
}

Process* this_process_or_null() {
  return current_thread == nullptr ? nullptr : current_thread->process();
}

}  // namespace corespec
