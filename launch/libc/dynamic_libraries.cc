// Interposed libc: the libraries that a program opens while it runs, which are the rank's own.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>

#include "launch/libc/real.h"
#include "launch/loader/memory_file.h"
#include "launch/loader/opened_libraries.h"

using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

extern "C" {

/// What one of the functions below is to return, or the function to which the call goes on.
struct LaunchAnswer {
  void* result;
  void* go_on;
};

LaunchAnswer launch_open_library(const char* name, int mode, void* caller)
    __attribute__((visibility("hidden")));
LaunchAnswer launch_find_symbol(void* handle, const char* name, void* caller)
    __attribute__((visibility("hidden")));
void* launch_real_dlsym() __attribute__((visibility("hidden")));

}  // extern "C"

// dlopen() and dlsym() look at their caller: where a call goes on, it is still the caller's. A
// sanitizer's start, too, looks symbols up, all by RTLD_DEFAULT (0) or RTLD_NEXT (-1), when code
// that it watches cannot run yet.
__asm__(R"(
  .text
  .p2align 4
  .globl dlsym
  .type dlsym, @function
dlsym:
  endbr64
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  leaq 1(%rdi), %rax
  cmpq $1, %rax
  jbe 1f
  movq 24(%rsp), %rdx
  call launch_find_symbol
  jmp 2f
1:
  call launch_real_dlsym
  movq %rax, %rdx
  jmp 2f
  .size dlsym, .-dlsym

  .globl dlopen
  .type dlopen, @function
dlopen:
  endbr64
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  movq 24(%rsp), %rdx
  call launch_open_library
2:
  addq $8, %rsp
  popq %rsi
  popq %rdi
  testq %rdx, %rdx
  jz 3f
  jmp *%rdx
3:
  ret
  .size dlopen, .-dlopen
)");

namespace {

/// The rank whose program (or one of its libraries) calls from `caller`, or null.
RankProgram* calling_program_or_null(const void* caller) {
  RankProgram* program = running_program_or_null();
  return program != nullptr && program->copy().contains(caller) ? program : nullptr;
}

/// True if the launcher itself defines what is at `address`.
bool in_launcher(const void* address) {
  static const auto real = real_function<int(const void*, Dl_info*)>("dladdr");
  Dl_info own{}, found{};
  return real(reinterpret_cast<const void*>(&launch_find_symbol), &own) != 0 &&
         real(address, &found) != 0 && own.dli_fbase == found.dli_fbase;
}

/// Found before there is an error to ask for: finding a symbol forgets the last one.
char* (*const real_dlerror)() = real_function<char*()>("dlerror");

/// Runs `body` for `program`; what it throws is dlerror()'s, and the result `failed`.
template <typename Result, typename Body>
Result or_error(RankProgram& program, Result failed, Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    program.set_library_error(error.what());
    return failed;
  }
}

using PhdrCallback = int (*)(dl_phdr_info*, std::size_t, void*);

/// What a rank's dl_iterate_phdr() was given.
struct PhdrRequest {
  const launch::ProgramCopy& copy;
  PhdrCallback callback;
  void* data;
};

int show_own_copy(dl_phdr_info* found, std::size_t size, void* context) {
  const auto& request = *static_cast<const PhdrRequest*>(context);
  const std::string_view name = found->dlpi_name == nullptr ? "" : found->dlpi_name;
  if (name.substr(0, std::strlen(launch::open_files)) != launch::open_files) {
    return request.callback(found, size, request.data);
  }
  const auto* const headers = reinterpret_cast<const char*>(found->dlpi_phdr);
  const launch::ImageFile* const file = request.copy.file_at(headers);
  if (file == nullptr) return 0;  // another rank's
  dl_phdr_info own{};
  std::memcpy(&own, found, std::min(size, sizeof own));
  own.dlpi_name = file->elf().path().c_str();
  return request.callback(&own, std::min(size, sizeof own), request.data);
}

using DlIteratePhdr = int (*)(PhdrCallback, void*);
DlIteratePhdr const real_dl_iterate_phdr =
    real_function<int(PhdrCallback, void*)>("dl_iterate_phdr");

int iterate_for_caller(PhdrCallback callback, void* data) {
  RankProgram* const program = running_program_or_null();
  if (program == nullptr) return real_dl_iterate_phdr(callback, data);
  PhdrRequest request{program->copy(), callback, data};
  return real_dl_iterate_phdr(show_own_copy, &request);
}

void* open_for(RankProgram& program, const char* name, int mode, const void* caller) {
  if (name == nullptr || *name == '\0') return program.copy().handle();
  return or_error<void*>(program, nullptr,
                         [&] { return program.open_library(name, mode, caller); });
}

}  // namespace

extern "C" {

// Not watched by a sanitizer, which may call it before its start.
__attribute__((no_sanitize("address", "thread", "undefined"))) void* launch_real_dlsym() {
  return dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
}

LaunchAnswer launch_open_library(const char* name, int mode, void* caller) {
  if (RankProgram* program = calling_program_or_null(caller)) {
    return {open_for(*program, name, mode, caller), nullptr};
  }
  static void* const real = dlsym(RTLD_NEXT, "dlopen");
  return {nullptr, real};
}

/// The launcher's own functions stand before libc's, also where a program asks libc for them.
LaunchAnswer launch_find_symbol(void* handle, const char* name, void* caller) {
  void* const real = launch_real_dlsym();
  RankProgram* const program = calling_program_or_null(caller);
  if (program == nullptr) return {nullptr, real};
  void* const found = reinterpret_cast<void* (*)(void*, const char*)>(real)(handle, name);
  if (found == nullptr) {
    const char* const text = real_dlerror();
    if (text != nullptr) program->set_library_error(text);
  }
  if (found == nullptr || program->copy().contains(found)) return {found, nullptr};
  void* const first = dlsym(RTLD_DEFAULT, name);
  return {first != nullptr && in_launcher(first) ? first : found, nullptr};
}

void* dlmopen(Lmid_t space, const char* name, int mode) noexcept {
  const void* const caller = __builtin_return_address(0);
  if (RankProgram* program = calling_program_or_null(caller)) {
    if (space == LM_ID_BASE) return open_for(*program, name, mode, caller);
    program->set_library_error("dlmopen() does not make name spaces in virtual time");
    return nullptr;
  }
  return real_function<void*(Lmid_t, const char*, int)>("dlmopen")(space, name, mode);
}

int dlclose(void* handle) noexcept {
  if (RankProgram* program = running_program_or_null()) {
    if (handle == program->copy().handle()) return 0;
    constexpr int failed = -1;
    const int closed =
        or_error(*program, failed, [&] { return program->copy().opened().close(handle) ? 0 : 1; });
    if (closed != 1) return closed;
  }
  static const auto real = real_function<int(void*)>("dlclose");
  return real(handle);
}

char* dlerror() noexcept {
  if (RankProgram* program = running_program_or_null()) {
    if (char* const text = program->take_library_error()) return text;
  }
  return real_dlerror == nullptr ? nullptr : real_dlerror();
}

int dladdr(const void* address, Dl_info* information) noexcept {
  static const auto real = real_function<int(const void*, Dl_info*)>("dladdr");
  const int found = real(address, information);
  RankProgram* const program = running_program_or_null();
  if (found == 0 || program == nullptr) return found;
  // Not the memory file's name.
  const launch::ImageFile* const file = program->copy().file_at(address);
  if (file != nullptr) information->dli_fname = file->elf().path().c_str();
  return found;
}

/// Backtraces find files and their line numbers by it: of copies a rank sees its own, under their
/// files' names. Not watched by a sanitizer, which calls it before its start.
__attribute__((no_sanitize("address", "thread", "undefined"))) int dl_iterate_phdr(
    PhdrCallback callback, void* data) {
  if (real_dl_iterate_phdr == nullptr) {  // nor has the launcher begun
    return reinterpret_cast<DlIteratePhdr>(dlvsym(RTLD_NEXT, "dl_iterate_phdr", "GLIBC_2.2.5"))(
        callback, data);
  }
  return iterate_for_caller(callback, data);
}

}  // extern "C"
