// Linux's futex calls.
#include "corespec/host/futex.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace corespec::futex {
namespace {

long call(Word& word, int operation, Scope scope, std::uint32_t value, const timespec* deadline) {
  static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);
  if (scope == Scope::process) operation |= FUTEX_PRIVATE_FLAG;
  return syscall(SYS_futex, &word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

using Argument = std::uintptr_t;

/// As the C library's own system calls that are cancellation points do it. Between the two changes
/// of type the thread may end at any instruction, and the stack be unwound from there: nothing here
/// may need cleaning up, and the function has a frame of its own.
[[gnu::noinline]] long call_cancellably(int state, long number, Argument a, Argument b, Argument c,
                                        Argument d, Argument e, Argument f) {
  int type = 0;
  pthread_setcancelstate(state, nullptr);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS,
                        &type);  // ends here if it was cancelled before
  const long result = syscall(number, a, b, c, d, e, f);
  pthread_setcanceltype(type, nullptr);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  return result;
}

timespec time_of(std::int64_t deadline_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const std::int64_t ns = std::max<std::int64_t>(deadline_ns, 0);
  return {ns / ns_per_s, ns % ns_per_s};
}

futex_waitv to_wait_for(const Expected& expected) {
  futex_waitv wait{};
  wait.val = expected.value;
  wait.uaddr = reinterpret_cast<std::uintptr_t>(expected.word);
  wait.flags = FUTEX_32;
  return wait;
}

long wait_for_several(const futex_waitv* words, unsigned count, const timespec* deadline) {
  return syscall(SYS_futex_waitv, words, count, 0, deadline, CLOCK_MONOTONIC);
}

}  // namespace

bool wait(Word& word, std::uint32_t expected, Scope scope, std::int64_t deadline_ns) {
  const timespec deadline = time_of(deadline_ns);
  const bool bounded = deadline_ns != for_ever;
  // Waiting for a bit set takes an absolute time, of the monotonic clock.
  const long result = call(word, FUTEX_WAIT_BITSET, scope, expected, bounded ? &deadline : nullptr);
  return result == 0 || errno != ETIMEDOUT;
}

bool wait_for_either(const Expected& one, const Expected& other, std::int64_t deadline_ns) {
  const futex_waitv words[] = {to_wait_for(one), to_wait_for(other)};
  const timespec deadline = time_of(deadline_ns);
  const long result = wait_for_several(words, 2, deadline_ns == for_ever ? nullptr : &deadline);
  return result >= 0 || errno != ETIMEDOUT;
}

// A thread that is cancelled leaves from here unseen by AddressSanitizer, for which the frame would
// go on being there.
__attribute__((no_sanitize("address"))) bool wait_cancellably(const Expected& one,
                                                              const Expected& other,
                                                              std::int64_t deadline_ns, int state) {
  const auto address = [](const auto* what) { return reinterpret_cast<Argument>(what); };
  const timespec deadline = time_of(deadline_ns);
  const timespec* const until = deadline_ns == for_ever ? nullptr : &deadline;
  long result = 0;
  if (other.word == nullptr) {
    result = call_cancellably(state, SYS_futex, address(one.word), FUTEX_WAIT_BITSET, one.value,
                              address(until), 0, FUTEX_BITSET_MATCH_ANY);
  } else {
    const futex_waitv words[] = {to_wait_for(one), to_wait_for(other)};
    result = call_cancellably(state, SYS_futex_waitv, address(&words[0]), 2, 0, address(until),
                              CLOCK_MONOTONIC, 0);
  }
  return result >= 0 || errno != ETIMEDOUT;
}

bool waits_for_either() {
  // No words: the kernel refuses the call, or does not know it.
  return wait_for_several(nullptr, 0, nullptr) >= 0 || errno != ENOSYS;
}

void wake_one(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, 1, nullptr); }

void wake_all(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, INT_MAX, nullptr); }

}  // namespace corespec::futex
