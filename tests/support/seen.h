// Words of memory that somebody else changes: another rank, or a thread of the NIC.
#pragma once

namespace castor_test {

/// What stands there now. As on the real machine, a program that waits for such a word has nothing
/// but the look; the thread sanitizer is to leave that out. What came before the word is visible
/// after the next call of the library.
template <typename Word>
__attribute__((noinline, no_sanitize("thread"))) Word seen(const Word* place) {
  return *static_cast<const volatile Word*>(place);
}

}  // namespace castor_test
