// Interposed libc: functions that take a path, relative to the rank's own directory.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "launch/libc/creation_mode.h"
#include "launch/libc/rank_output.h"
#include "launch/libc/seen_path.h"

using launch::real_function;
using launch::SeenPath;

extern "C" {

// The forms that programs compiled with _FORTIFY_SOURCE call.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open(path, flags); }

int open(const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = launch::creation_mode(flags, values);
  va_end(values);
  static const auto real = real_function<int(const char*, int, ...)>("open");
  return real(SeenPath(path).get(), flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  const mode_t mode = launch::creation_mode(flags, values);
  va_end(values);
  return open(path, flags, mode);
}

int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int creat64(const char* path, mode_t mode) { return creat(path, mode); }

FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  static const auto real = real_function<FILE*(const char*, const char*)>("fopen");
  return real(SeenPath(path).get(), mode);
}

FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return fopen(path, mode);
}

/// Of standard output and error: what all ranks write then goes to the new file, and what they have
/// written to the old one.
FILE* freopen(const char* __restrict path, const char* __restrict mode, FILE* __restrict file) {
  static const auto real = real_function<FILE*(const char*, const char*, FILE*)>("freopen");
  launch::RankOutput::Stream* stream = launch::rank_stream_or_null(file);
  if (stream != nullptr) stream->write_out_all();
  FILE* opened = real(SeenPath(path).get(), mode, stream != nullptr ? stream->own() : file);
  return stream != nullptr && opened != nullptr ? file : opened;
}

FILE* freopen64(const char* __restrict path, const char* __restrict mode, FILE* __restrict file) {
  return freopen(path, mode, file);
}

int stat(const char* __restrict path, struct stat* __restrict result) noexcept {
  static const auto real = real_function<int(const char*, struct stat*)>("stat");
  return real(SeenPath(path).get(), result);
}

int lstat(const char* __restrict path, struct stat* __restrict result) noexcept {
  static const auto real = real_function<int(const char*, struct stat*)>("lstat");
  return real(SeenPath(path).get(), result);
}

// The same structure by two names.
int stat64(const char* __restrict path, struct stat64* __restrict result) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(result));
}

int lstat64(const char* __restrict path, struct stat64* __restrict result) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(result));
}

// What programs built before glibc 2.33 call; the version is always the structure's only one.
int __xstat(int, const char* path, struct stat* result) { return stat(path, result); }
int __lxstat(int, const char* path, struct stat* result) { return lstat(path, result); }
int __xstat64(int, const char* path, struct stat64* result) { return stat64(path, result); }
int __lxstat64(int, const char* path, struct stat64* result) { return lstat64(path, result); }
int __xmknod(int, const char* path, mode_t mode, dev_t* device) {
  return mknod(path, mode, *device);
}

int access(const char* path, int mode) noexcept {
  static const auto real = real_function<int(const char*, int)>("access");
  return real(SeenPath(path).get(), mode);
}

int euidaccess(const char* path, int mode) noexcept {
  return real_function<int(const char*, int)>("euidaccess")(SeenPath(path).get(), mode);
}

int eaccess(const char* path, int mode) noexcept { return euidaccess(path, mode); }

int mkdir(const char* path, mode_t mode) noexcept {
  return real_function<int(const char*, mode_t)>("mkdir")(SeenPath(path).get(), mode);
}

int rmdir(const char* path) noexcept {
  return real_function<int(const char*)>("rmdir")(SeenPath(path).get());
}

int unlink(const char* path) noexcept {
  return real_function<int(const char*)>("unlink")(SeenPath(path).get());
}

int remove(const char* path) noexcept {
  return real_function<int(const char*)>("remove")(SeenPath(path).get());
}

int rename(const char* from, const char* to) noexcept {
  return real_function<int(const char*, const char*)>("rename")(SeenPath(from).get(),
                                                                SeenPath(to).get());
}

int link(const char* from, const char* to) noexcept {
  return real_function<int(const char*, const char*)>("link")(SeenPath(from).get(),
                                                              SeenPath(to).get());
}

// A link's text is no path of the caller's.
int symlink(const char* text, const char* path) noexcept {
  return real_function<int(const char*, const char*)>("symlink")(text, SeenPath(path).get());
}

ssize_t readlink(const char* __restrict path, char* __restrict text, size_t size) noexcept {
  static const auto real = real_function<ssize_t(const char*, char*, size_t)>("readlink");
  return real(SeenPath(path).get(), text, size);
}

ssize_t __readlink_chk(const char* path, char* text, size_t size, size_t) {
  return readlink(path, text, size);
}

char* realpath(const char* __restrict path, char* __restrict resolved) noexcept {
  static const auto real = real_function<char*(const char*, char*)>("realpath");
  return real(SeenPath(path).get(), resolved);
}

char* __realpath_chk(const char* path, char* resolved, size_t) { return realpath(path, resolved); }

char* canonicalize_file_name(const char* path) noexcept { return realpath(path, nullptr); }

int mkfifo(const char* path, mode_t mode) noexcept {
  return real_function<int(const char*, mode_t)>("mkfifo")(SeenPath(path).get(), mode);
}

int mknod(const char* path, mode_t mode, dev_t device) noexcept {
  return real_function<int(const char*, mode_t, dev_t)>("mknod")(SeenPath(path).get(), mode,
                                                                 device);
}

int truncate(const char* path, off_t length) noexcept {
  return real_function<int(const char*, off_t)>("truncate")(SeenPath(path).get(), length);
}

int truncate64(const char* path, off64_t length) noexcept { return truncate(path, length); }

int chmod(const char* path, mode_t mode) noexcept {
  return real_function<int(const char*, mode_t)>("chmod")(SeenPath(path).get(), mode);
}

int chown(const char* path, uid_t user, gid_t group) noexcept {
  return real_function<int(const char*, uid_t, gid_t)>("chown")(SeenPath(path).get(), user, group);
}

int lchown(const char* path, uid_t user, gid_t group) noexcept {
  return real_function<int(const char*, uid_t, gid_t)>("lchown")(SeenPath(path).get(), user, group);
}

int utime(const char* path, const utimbuf* times) noexcept {
  return real_function<int(const char*, const utimbuf*)>("utime")(SeenPath(path).get(), times);
}

int utimes(const char* path, const timeval times[2]) noexcept {
  return real_function<int(const char*, const timeval*)>("utimes")(SeenPath(path).get(), times);
}

int lutimes(const char* path, const timeval times[2]) noexcept {
  return real_function<int(const char*, const timeval*)>("lutimes")(SeenPath(path).get(), times);
}

int statfs(const char* path, struct statfs* result) noexcept {
  return real_function<int(const char*, struct statfs*)>("statfs")(SeenPath(path).get(), result);
}

int statfs64(const char* path, struct statfs64* result) noexcept {
  return statfs(path, reinterpret_cast<struct statfs*>(result));
}

int statvfs(const char* __restrict path, struct statvfs* __restrict result) noexcept {
  return real_function<int(const char*, struct statvfs*)>("statvfs")(SeenPath(path).get(), result);
}

int statvfs64(const char* __restrict path, struct statvfs64* __restrict result) noexcept {
  return statvfs(path, reinterpret_cast<struct statvfs*>(result));
}

long pathconf(const char* path, int name) noexcept {
  return real_function<long(const char*, int)>("pathconf")(SeenPath(path).get(), name);
}

}  // extern "C"
