// Interposed libc: threads and processes of a program's own, which ranks cannot have.
#include <pthread.h>
#include <spawn.h>
#include <threads.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "launch/libc/real.h"
#include "launch/loader/library_search.h"

using launch::real_function;
using launch::refuse_on_rank;

namespace {

constexpr const char* without_threads = "run the program without threads of its own";
constexpr const char* without_processes =
    "start other programs before or after aprun, not from a rank";

/// The variable arguments of execl() and its like as an array: `first`, the others, null.
std::vector<char*> argument_list(const char* first, va_list rest) {
  std::vector<char*> arguments{const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(rest, char*));
  return arguments;
}

/// True if it is an OpenMP library of the calling rank's that calls.
bool openmp_calls_from(const void* caller) {
  const launch::RankProgram* program = launch::running_program_or_null();
  const launch::ImageFile* file = program == nullptr ? nullptr : program->copy().file_at(caller);
  if (file == nullptr) return false;
  const std::string& path = file->elf().path();
  return launch::is_openmp(path.substr(path.rfind('/') + 1));
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* __restrict thread, const pthread_attr_t* __restrict attributes,
                   void* (*function)(void*), void* __restrict argument) noexcept {
  if (openmp_calls_from(__builtin_return_address(0))) {
    refuse_on_rank("a parallel region of more than one OpenMP thread",
                   "set OMP_THREAD_LIMIT=1, which gives each region one, or run with --clock live");
  }
  refuse_on_rank("pthread_create()", without_threads);
  static const auto real =
      real_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
          "pthread_create");
  return real(thread, attributes, function, argument);
}

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  refuse_on_rank("thrd_create()", without_threads);
  return real_function<int(thrd_t*, thrd_start_t, void*)>("thrd_create")(thread, function,
                                                                         argument);
}

pid_t fork() noexcept {
  refuse_on_rank("fork()", without_processes);
  return real_function<pid_t()>("fork")();
}

// vfork() cannot be passed on from a function that returns; fork() does what it allows.
pid_t vfork() noexcept {
  refuse_on_rank("vfork()", without_processes);
  return real_function<pid_t()>("fork")();
}

int system(const char* command) {
  refuse_on_rank("system()", without_processes);
  return real_function<int(const char*)>("system")(command);
}

FILE* popen(const char* command, const char* mode) {
  refuse_on_rank("popen()", without_processes);
  return real_function<FILE*(const char*, const char*)>("popen")(command, mode);
}

int daemon(int no_directory_change, int no_close) noexcept {
  refuse_on_rank("daemon()", without_processes);
  return real_function<int(int, int)>("daemon")(no_directory_change, no_close);
}

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const[], char* const[]);

int posix_spawn(pid_t* __restrict process, const char* __restrict path,
                const posix_spawn_file_actions_t* __restrict actions,
                const posix_spawnattr_t* __restrict attributes, char* const arguments[],
                char* const environment[]) {
  refuse_on_rank("posix_spawn()", without_processes);
  return real_function<Spawn>("posix_spawn")(process, path, actions, attributes, arguments,
                                             environment);
}

int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[],
                 char* const environment[]) {
  refuse_on_rank("posix_spawnp()", without_processes);
  return real_function<Spawn>("posix_spawnp")(process, file, actions, attributes, arguments,
                                              environment);
}

int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  refuse_on_rank("execve()", without_processes);
  return real_function<int(const char*, char* const[], char* const[])>("execve")(path, arguments,
                                                                                 environment);
}

int execv(const char* path, char* const arguments[]) noexcept {
  refuse_on_rank("execv()", without_processes);
  return real_function<int(const char*, char* const[])>("execv")(path, arguments);
}

int execvp(const char* file, char* const arguments[]) noexcept {
  refuse_on_rank("execvp()", without_processes);
  return real_function<int(const char*, char* const[])>("execvp")(file, arguments);
}

int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  refuse_on_rank("execvpe()", without_processes);
  return real_function<int(const char*, char* const[], char* const[])>("execvpe")(file, arguments,
                                                                                  environment);
}

int execl(const char* path, const char* argument, ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  const std::vector<char*> arguments = argument_list(argument, rest);
  va_end(rest);
  return execv(path, arguments.data());
}

int execlp(const char* file, const char* argument, ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  const std::vector<char*> arguments = argument_list(argument, rest);
  va_end(rest);
  return execvp(file, arguments.data());
}

int execle(const char* path, const char* argument, ...) noexcept {
  refuse_on_rank("execle()", without_processes);
  va_list rest;
  va_start(rest, argument);
  const std::vector<char*> arguments = argument_list(argument, rest);
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, arguments.data(), environment);
}

int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  refuse_on_rank("fexecve()", without_processes);
  return real_function<int(int, char* const[], char* const[])>("fexecve")(file, arguments,
                                                                          environment);
}

int execveat(int directory, const char* path, char* const arguments[], char* const environment[],
             int flags) noexcept {
  refuse_on_rank("execveat()", without_processes);
  using Execveat = int(int, const char*, char* const[], char* const[], int);
  return real_function<Execveat>("execveat")(directory, path, arguments, environment, flags);
}

}  // extern "C"
