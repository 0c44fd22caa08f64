// Interposed libc: functions that take a path and the open directory it is relative to; where that
// is AT_FDCWD, the rank's own.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include "launch/libc/creation_mode.h"
#include "launch/libc/seen_path.h"

using launch::real_function;
using launch::SeenPath;

extern "C" {

int openat(int directory, const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = launch::creation_mode(flags, values);
  va_end(values);
  static const auto real = real_function<int(int, const char*, int, ...)>("openat");
  return real(directory, SeenPath(directory, path).get(), flags, mode);
}

int openat64(int directory, const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = launch::creation_mode(flags, values);
  va_end(values);
  return openat(directory, path, flags, mode);
}

// The forms that programs compiled with _FORTIFY_SOURCE call.
int __openat_2(int directory, const char* path, int flags) {
  return openat(directory, path, flags);
}
int __openat64_2(int directory, const char* path, int flags) {
  return openat(directory, path, flags);
}

int fstatat(int directory, const char* __restrict path, struct stat* __restrict result,
            int flags) noexcept {
  static const auto real = real_function<int(int, const char*, struct stat*, int)>("fstatat");
  return real(directory, SeenPath(directory, path).get(), result, flags);
}

int fstatat64(int directory, const char* __restrict path, struct stat64* __restrict result,
              int flags) noexcept {
  return fstatat(directory, path, reinterpret_cast<struct stat*>(result), flags);
}

// What programs built before glibc 2.33 call.
int __fxstatat(int, int directory, const char* path, struct stat* result, int flags) {
  return fstatat(directory, path, result, flags);
}
int __fxstatat64(int, int directory, const char* path, struct stat64* result, int flags) {
  return fstatat64(directory, path, result, flags);
}

int statx(int directory, const char* __restrict path, int flags, unsigned mask,
          struct statx* __restrict result) noexcept {
  using Statx = int(int, const char*, int, unsigned, struct statx*);
  return real_function<Statx>("statx")(directory, SeenPath(directory, path).get(), flags, mask,
                                       result);
}

int faccessat(int directory, const char* path, int mode, int flags) noexcept {
  return real_function<int(int, const char*, int, int)>("faccessat")(
      directory, SeenPath(directory, path).get(), mode, flags);
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  return real_function<int(int, const char*, mode_t)>("mkdirat")(
      directory, SeenPath(directory, path).get(), mode);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  return real_function<int(int, const char*, int)>("unlinkat")(
      directory, SeenPath(directory, path).get(), flags);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  return real_function<int(int, const char*, int, const char*)>("renameat")(
      from_directory, SeenPath(from_directory, from).get(), to_directory,
      SeenPath(to_directory, to).get());
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to,
              unsigned flags) noexcept {
  return real_function<int(int, const char*, int, const char*, unsigned)>("renameat2")(
      from_directory, SeenPath(from_directory, from).get(), to_directory,
      SeenPath(to_directory, to).get(), flags);
}

int linkat(int from_directory, const char* from, int to_directory, const char* to,
           int flags) noexcept {
  return real_function<int(int, const char*, int, const char*, int)>("linkat")(
      from_directory, SeenPath(from_directory, from).get(), to_directory,
      SeenPath(to_directory, to).get(), flags);
}

int symlinkat(const char* text, int directory, const char* path) noexcept {
  return real_function<int(const char*, int, const char*)>("symlinkat")(
      text, directory, SeenPath(directory, path).get());
}

ssize_t readlinkat(int directory, const char* __restrict path, char* __restrict text,
                   size_t size) noexcept {
  return real_function<ssize_t(int, const char*, char*, size_t)>("readlinkat")(
      directory, SeenPath(directory, path).get(), text, size);
}

ssize_t __readlinkat_chk(int directory, const char* path, char* text, size_t size, size_t) {
  return readlinkat(directory, path, text, size);
}

int fchmodat(int directory, const char* path, mode_t mode, int flags) noexcept {
  return real_function<int(int, const char*, mode_t, int)>("fchmodat")(
      directory, SeenPath(directory, path).get(), mode, flags);
}

int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) noexcept {
  return real_function<int(int, const char*, uid_t, gid_t, int)>("fchownat")(
      directory, SeenPath(directory, path).get(), user, group, flags);
}

int utimensat(int directory, const char* path, const timespec times[2], int flags) noexcept {
  return real_function<int(int, const char*, const timespec*, int)>("utimensat")(
      directory, SeenPath(directory, path).get(), times, flags);
}

int futimesat(int directory, const char* path, const timeval times[2]) noexcept {
  return real_function<int(int, const char*, const timeval*)>("futimesat")(
      directory, SeenPath(directory, path).get(), times);
}

int mkfifoat(int directory, const char* path, mode_t mode) noexcept {
  return real_function<int(int, const char*, mode_t)>("mkfifoat")(
      directory, SeenPath(directory, path).get(), mode);
}

int mknodat(int directory, const char* path, mode_t mode, dev_t device) noexcept {
  return real_function<int(int, const char*, mode_t, dev_t)>("mknodat")(
      directory, SeenPath(directory, path).get(), mode, device);
}

}  // extern "C"
