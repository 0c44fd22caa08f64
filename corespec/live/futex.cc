// Linux's futex calls.
#include "corespec/live/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace corespec::futex {
namespace {

long call(Word& word, int operation, Scope scope, std::uint32_t value, const timespec* deadline) {
  static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);
  if (scope == Scope::process) operation |= FUTEX_PRIVATE_FLAG;
  return syscall(SYS_futex, &word, operation, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

bool wait(Word& word, std::uint32_t expected, Scope scope, std::int64_t deadline_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  timespec deadline{};
  const bool bounded = deadline_ns != for_ever;
  if (bounded) {
    if (deadline_ns < 0) deadline_ns = 0;
    deadline.tv_sec = deadline_ns / ns_per_s;
    deadline.tv_nsec = deadline_ns % ns_per_s;
  }
  // Waiting for a bit set takes an absolute time, of the monotonic clock.
  const long result = call(word, FUTEX_WAIT_BITSET, scope, expected, bounded ? &deadline : nullptr);
  return result == 0 || errno != ETIMEDOUT;
}

void wake_one(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, 1, nullptr); }

void wake_all(Word& word, Scope scope) { call(word, FUTEX_WAKE, scope, INT_MAX, nullptr); }

}  // namespace corespec::futex
