// Interposed libc: the environment, which is the rank's own.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launch/libc/real.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

bool is_name(const char* name) {
  return name != nullptr && name[0] != '\0' && std::strchr(name, '=') == nullptr;
}

char* value_or_null(const char* name) {
  if (RankProgram* program = running_program_or_null()) {
    return const_cast<char*>(program->environment_value(name));
  }
  static const auto real = real_function<char*(const char*)>("getenv");
  return real(name);
}

}  // namespace

extern "C" {

char* getenv(const char* name) noexcept { return value_or_null(name); }

char* secure_getenv(const char* name) noexcept { return value_or_null(name); }

int setenv(const char* name, const char* value, int overwrite) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) {
    return real_function<int(const char*, const char*, int)>("setenv")(name, value, overwrite);
  }
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  if (overwrite != 0 || program->environment_value(name) == nullptr) {
    program->set_environment(name, value);
  }
  return 0;
}

int unsetenv(const char* name) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<int(const char*)>("unsetenv")(name);
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  program->unset_environment(name);
  return 0;
}

int putenv(char* entry) noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<int(char*)>("putenv")(entry);
  if (std::strchr(entry, '=') == nullptr) {
    program->unset_environment(entry);
  } else {
    program->put_environment(entry);
  }
  return 0;
}

int clearenv() noexcept {
  RankProgram* program = running_program_or_null();
  if (program == nullptr) return real_function<int()>("clearenv")();
  program->clear_environment();
  return 0;
}

}  // extern "C"
