// A launcher's own standard streams: there from the start, and written to the end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace launch {

/// A standard descriptor that the caller has closed (`>&-`) would become the number of the next
/// file, and what ranks print would go there. Taken up, it fails what uses it: EBADF.
inline void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one's. Reading fails where writing is wanted, and the other
    // way round.
    const int how = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int held = open("/dev/null", how);
  }
}

/// What the launcher itself has printed is out. Throws std::system_error if it cannot be.
inline void flush_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category(), "standard output");
}

/// Prints a text of the launcher's own, however long, and throws in the same way.
inline void print_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw std::system_error(errno, std::generic_category(), "standard output");
  }
  flush_standard_output();
}

}  // namespace launch
