// Linux's futex calls.
#include "corespec/live/futex.h"

#include <linux/futex.h>
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

timespec time_of(std::int64_t deadline_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const std::int64_t ns = std::max<std::int64_t>(deadline_ns, 0);
  return {ns / ns_per_s, ns % ns_per_s};
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
  const auto waiter = [](const Expected& expected) {
    futex_waitv wait{};
    wait.val = expected.value;
    wait.uaddr = reinterpret_cast<std::uintptr_t>(expected.word);
    wait.flags = FUTEX_32;
    return wait;
  };
  const futex_waitv words[] = {waiter(one), waiter(other)};
  const timespec deadline = time_of(deadline_ns);
  const long result = wait_for_several(words, 2, deadline_ns == for_ever ? nullptr : &deadline);
  return result >= 0 || errno != ETIMEDOUT;
}

bool waits_for_either() {
  // No words: the kernel refuses the call, or does not know it.
  return wait_for_several(nullptr, 0, nullptr) >= 0 || errno != ENOSYS;
}

void wake_one(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, 1, nullptr); }

void wake_all(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, INT_MAX, nullptr); }

}  // namespace corespec::futex
