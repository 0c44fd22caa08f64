// Sleeping in the kernel on a word of memory until another thread changes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace corespec::futex {

using Word = std::atomic<std::uint32_t>;

/// Which threads may sleep on a word: those of one process, or of all that map its memory.
enum class Scope : std::uint8_t { process, shared };

constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

/// Sleeps while `word` is `expected`, until wake(), until the host's monotonic clock is at
/// `deadline_ns`, or for no reason (a signal): the caller looks again. False only on time-out.
bool wait(Word& word, std::uint32_t expected, Scope scope, std::int64_t deadline_ns = for_ever);

/// A word to sleep on, and what it is while there is nothing to wake up for.
struct Expected {
  Word* word = nullptr;
  std::uint32_t value = 0;
};

/// The same for two words that several processes share: until either changes.
bool wait_for_either(const Expected& one, const Expected& other, std::int64_t deadline_ns);

/// Both (no second word: one, of Scope::shared) for a thread that may be ended by pthread_cancel()
/// while it sleeps, if `state`, its cancelability state, allows that; it is disabled before and
/// afterwards. Then the stack is unwound.
bool wait_cancellably(const Expected& one, const Expected& other, std::int64_t deadline_ns,
                      int state);
/// False where the kernel cannot do that (Linux before 5.16).
bool waits_for_either();

void wake_one(Word& word, Scope scope);
void wake_all(Word& word, Scope scope);

/// Tells the CPU that this is a polling loop.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace corespec::futex
