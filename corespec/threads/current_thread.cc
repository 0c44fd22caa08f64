// The calling thread of this OS thread, and the maker of one for an OS thread that has none.
#include "corespec/threads/current_thread.h"

#include <atomic>
#include <utility>

#include "corespec/host/check.h"
#include "corespec/threads/process.h"

namespace corespec {
namespace {

/// C entry points carry no context: the calling thread has to be found without an argument.
__attribute__((tls_model("initial-exec"))) thread_local Thread* current_thread = nullptr;

struct NoMoreThreads final : ThreadAdopter {
  Thread* adopt() override { return nullptr; }
};
constinit NoMoreThreads no_more;

/// The same for a thread's first call: which process of the machine this is has to be found too.
std::atomic<ThreadAdopter*> thread_adopter{nullptr};

__attribute__((noinline)) Thread* adopt_calling_thread() {
  ThreadAdopter* const adopter = thread_adopter.load(std::memory_order_acquire);
  if (adopter == nullptr) return nullptr;
  current_thread = adopter->adopt();
  return current_thread;
}

}  // namespace

Thread* exchange_current_thread(Thread* thread) { return std::exchange(current_thread, thread); }

Thread* known_thread_or_null() { return current_thread; }

ThreadAdopter* exchange_thread_adopter(ThreadAdopter* adopter) {
  return thread_adopter.exchange(adopter, std::memory_order_acq_rel);
}

bool has_thread_adopter() { return thread_adopter.load(std::memory_order_acquire) != nullptr; }

ThreadAdopter& no_more_threads() { return no_more; }

Thread* this_thread_or_null() {
  return __builtin_expect(current_thread != nullptr, 1) ? current_thread : adopt_calling_thread();
}

Thread& this_thread() {
  Thread* const thread = this_thread_or_null();
  CASTOR_CHECK(thread != nullptr, "a thread's function was called outside every thread");
  return *thread;
}

Process* this_process_or_null() {
  Thread* const thread = this_thread_or_null();
  return thread == nullptr ? nullptr : thread->process();
}

}  // namespace corespec
