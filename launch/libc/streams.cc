// Interposed libstdc++: what would pull the standard streams' buffers from under other ranks.
#include <iostream>

#include "launch/libc/real.h"

namespace launch {

// <iostream> initialises the standard streams with the launcher: the dynamic loader copies them
// into programs before any of their constructors runs.

/// std::ios_base::sync_with_stdio(). Programs hold copies of std::cout whose buffers live in
/// libstdc++, shared by all ranks: a rank that replaced them would silence the others. The
/// streams stay synchronised; that only costs time, and none that is modelled.
extern "C" bool sync_with_stdio(bool sync) __asm__("_ZNSt8ios_base15sync_with_stdioEb");

extern "C" bool sync_with_stdio(bool sync) {
  if (running_program_or_null() != nullptr) return true;
  static const auto real = real_function<bool(bool)>("_ZNSt8ios_base15sync_with_stdioEb");
  return real(sync);
}

}  // namespace launch
