// What open() and its like take when a file may come into being.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdarg>

namespace launch {

/// The next of `values` if there is one with these flags, else 0.
inline mode_t creation_mode(int flags, va_list values) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? va_arg(values, mode_t) : 0;
}

}  // namespace launch
