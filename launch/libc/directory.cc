// Interposed libc: the working directory, which is the rank's own. Functions that take a path see
// it through SeenPath.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include "launch/libc/real.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

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

int fchdir(int file) noexcept {
  if (running_program_or_null() == nullptr) return real_function<int(int)>("fchdir")(file);
  struct stat status {};
  if (::fstat(file, &status) != 0) return -1;
  if (!S_ISDIR(status.st_mode)) {
    errno = ENOTDIR;
    return -1;
  }
  return chdir(("/proc/self/fd/" + std::to_string(file)).c_str());
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

char* getwd(char* buffer) noexcept { return getcwd(buffer, PATH_MAX); }

// libc's own prefers $PWD, which is the launcher's.
char* get_current_dir_name() noexcept {
  const RankProgram* program = running_program_or_null();
  if (program == nullptr || !program->moved()) {
    return real_function<char*()>("get_current_dir_name")();
  }
  return getcwd(nullptr, 0);
}

// The forms that programs compiled with _FORTIFY_SOURCE call.
char* __getcwd_chk(char* buffer, size_t size, size_t) { return getcwd(buffer, size); }
char* __getwd_chk(char* buffer, size_t) { return getcwd(buffer, PATH_MAX); }

}  // extern "C"
