// Interposed libc: functions that print a message and end the process from within libc, where
// the calls of exit() and abort() cannot be interposed.
#include <err.h>
#include <error.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch/libc/real.h"

namespace {

const char* program_name() {
  launch::RankProgram* program = launch::running_program_or_null();
  return program != nullptr ? *program->copy().variables().name : "aprun";
}

const char* short_name() {
  launch::RankProgram* program = launch::running_program_or_null();
  return program != nullptr ? *program->copy().variables().short_name : "aprun";
}

[[noreturn]] void fail_assertion(const char* text, const char* file, unsigned line,
                                 const char* function) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s:%u: %s: %s\n", short_name(), file, line,
               function != nullptr ? function : "?", text);
  std::fflush(stderr);
  std::abort();
}

void print_message(const char* name, const char* format, va_list values, int error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: ", name);
  if (format != nullptr) std::vfprintf(stderr, format, values);
  if (error != 0) {
    std::fprintf(stderr, "%s%s", format != nullptr ? ": " : "", std::strerror(error));
  }
  std::fputc('\n', stderr);
}

}  // namespace

extern "C" {

void __assert_fail(const char* assertion, const char* file, unsigned line,
                   const char* function) noexcept {
  char text[512];
  std::snprintf(text, sizeof text, "Assertion `%s' failed.", assertion);
  fail_assertion(text, file, line, function);
}

void __assert_perror_fail(int error, const char* file, unsigned line,
                          const char* function) noexcept {
  char text[512];
  std::snprintf(text, sizeof text, "Unexpected error: %s.", std::strerror(error));
  fail_assertion(text, file, line, function);
}

void verr(int status, const char* format, va_list values) {
  print_message(short_name(), format, values, errno);
  std::exit(status);
}

void verrx(int status, const char* format, va_list values) {
  print_message(short_name(), format, values, 0);
  std::exit(status);
}

void err(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  verr(status, format, values);
}

void errx(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  verrx(status, format, values);
}

void error(int status, int error_number, const char* format, ...) {
  va_list values;
  va_start(values, format);
  print_message(program_name(), format, values, error_number);
  va_end(values);
  if (status != 0) std::exit(status);
}

}  // extern "C"
