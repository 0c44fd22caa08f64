// Interposed libc: the working directory, which is the rank's own. The common functions that take
// a path see it; those that take a directory's descriptor do not (docs/programs.md).
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch/libc/rank_output.h"
#include "launch/libc/real.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

/// A path as the process must give it to the kernel for the calling rank.
class SeenPath {
 public:
  explicit SeenPath(const char* path) : path_(path) {
    const RankProgram* program = running_program_or_null();
    if (program == nullptr || !program->moved() || path == nullptr || path[0] == '/') return;
    resolved_ = program->resolve(path);
    path_ = resolved_.c_str();
  }
  const char* get() const { return path_; }

 private:
  const char* path_;
  std::string resolved_;
};

}  // namespace

extern "C" {

int chdir(const char* path) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<int(const char*)>("chdir")(path);
  char resolved[PATH_MAX];
  if (::realpath(program->resolve(path).c_str(), resolved) == nullptr) return -1;
  struct stat status {};
  if (::stat(resolved, &status) != 0) return -1;
  if (!S_ISDIR(status.st_mode)) {
    errno = ENOTDIR;
    return -1;
  }
  if (::access(resolved, X_OK) != 0) return -1;
  program->set_directory(resolved);
  return 0;
}

char* getcwd(char* buffer, size_t size) noexcept {
  const RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<char*(char*, size_t)>("getcwd")(buffer, size);
  const std::string& directory = program->directory();
  if (buffer == nullptr) {
    if (size == 0) size = directory.size() + 1;
    if (size <= directory.size()) {
      errno = ERANGE;
      return nullptr;
    }
    buffer = static_cast<char*>(std::malloc(size));
    if (buffer == nullptr) return nullptr;
  } else if (size <= directory.size()) {
    errno = size == 0 ? EINVAL : ERANGE;
    return nullptr;
  }
  std::memcpy(buffer, directory.c_str(), directory.size() + 1);
  return buffer;
}

// The forms that programs compiled with _FORTIFY_SOURCE call.
char* __getcwd_chk(char* buffer, size_t size, size_t) { return getcwd(buffer, size); }
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open(path, flags); }

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list values;
    va_start(values, flags);
    mode = va_arg(values, mode_t);
    va_end(values);
  }
  static const auto real = real_function<int(const char*, int, ...)>("open");
  return real(SeenPath(path).get(), flags, mode);
}

int open64(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list values;
    va_start(values, flags);
    mode = va_arg(values, mode_t);
    va_end(values);
  }
  return open(path, flags, mode);
}

int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  static const auto real = real_function<FILE*(const char*, const char*)>("fopen");
  return real(SeenPath(path).get(), mode);
}

FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return fopen(path, mode);
}

/// Of standard output and error: what all ranks write then goes to the new file.
FILE* freopen(const char* __restrict path, const char* __restrict mode, FILE* __restrict file) {
  static const auto real = real_function<FILE*(const char*, const char*, FILE*)>("freopen");
  launch::RankOutput::Stream* stream = launch::rank_stream_or_null(file);
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

int access(const char* path, int mode) noexcept {
  static const auto real = real_function<int(const char*, int)>("access");
  return real(SeenPath(path).get(), mode);
}

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

int truncate(const char* path, off_t length) noexcept {
  return real_function<int(const char*, off_t)>("truncate")(SeenPath(path).get(), length);
}

int chmod(const char* path, mode_t mode) noexcept {
  return real_function<int(const char*, mode_t)>("chmod")(SeenPath(path).get(), mode);
}

DIR* opendir(const char* path) {
  return real_function<DIR*(const char*)>("opendir")(SeenPath(path).get());
}

}  // extern "C"
