// Interposed libc: files and directories whose names are made up, in the rank's own directory.
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "launch/libc/seen_path.h"

using launch::real_function;
using launch::SeenPath;

namespace {

/// What `make` says of a path that ends in the template; its last characters, as `make` leaves
/// them, become the template's.
template <typename Make>
auto fill_in(char* pattern, const Make& make) {
  const SeenPath seen(pattern);
  if (seen.get() == pattern) return make(pattern);
  std::string path = seen.get();
  const std::size_t length = std::strlen(pattern);
  const auto result = make(path.data());
  std::memcpy(pattern, path.c_str() + path.size() - length, length);
  return result;
}

}  // namespace

extern "C" {

int mkostemps(char* pattern, int suffix, int flags) {
  return fill_in(pattern, [&](char* path) {
    return real_function<int(char*, int, int)>("mkostemps")(path, suffix, flags);
  });
}

int mkstemp(char* pattern) { return mkostemps(pattern, 0, 0); }
int mkstemps(char* pattern, int suffix) { return mkostemps(pattern, suffix, 0); }
int mkostemp(char* pattern, int flags) { return mkostemps(pattern, 0, flags); }
int mkstemp64(char* pattern) { return mkstemp(pattern); }
int mkstemps64(char* pattern, int suffix) { return mkstemps(pattern, suffix); }
int mkostemp64(char* pattern, int flags) { return mkostemp(pattern, flags); }
int mkostemps64(char* pattern, int suffix, int flags) { return mkostemps(pattern, suffix, flags); }

char* mkdtemp(char* pattern) noexcept {
  const bool made = fill_in(
      pattern, [](char* path) { return real_function<char*(char*)>("mkdtemp")(path) != nullptr; });
  return made ? pattern : nullptr;
}

char* mktemp(char* pattern) noexcept {
  const bool found = fill_in(
      pattern, [](char* path) { return real_function<char*(char*)>("mktemp")(path)[0] != '\0'; });
  if (!found) pattern[0] = '\0';
  return pattern;
}

}  // extern "C"
