// A program's first call to one of the libraries: which rank is it?
#include "corespec/job/adopt_process.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "corespec/host/printable.h"
#include "corespec/threads/current_thread.h"

namespace corespec {
namespace {

/// The launch layer's library, which lies beside this one. By its whole path: where a sanitizer
/// stands between, a name alone would be looked for from the sanitizer's library.
void* launch_library(std::string& why_not) {
  constexpr const char* name = "libcastor_launch.so";
  Dl_info own{};
  std::string path;
  if (dladdr(reinterpret_cast<const void*>(&launch_library), &own) != 0) path = own.dli_fname;
  path = path.substr(0, path.rfind('/') + 1) + name;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    why_not = dlerror();
    library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  }
  return library;
}

}  // namespace

Process* adopt_process() {
  if (Process* process = this_process_or_null()) return process;
  if (has_thread_adopter()) return nullptr;  // a machine does not want this thread, or has ended
  using Adopt = int (*)();
  void* symbol = dlsym(RTLD_DEFAULT, "castor_adopt_singleton");
  if (symbol == nullptr) {
    std::string why_not = "libcastor_launch.so is another version's";
    void* library = launch_library(why_not);
    if (library != nullptr) symbol = dlsym(library, "castor_adopt_singleton");
    if (symbol == nullptr) {
      fmt::print(stderr, "castor: no rank without aprun: {}\n", printable(why_not));
      exchange_thread_adopter(&no_more_threads());  // said once
      return nullptr;
    }
  }
  return reinterpret_cast<Adopt>(symbol)() == 0 ? this_process_or_null() : nullptr;
}

}  // namespace corespec
