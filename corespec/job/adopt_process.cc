// A program's first call to one of the libraries: which rank is it?
#include "corespec/job/adopt_process.h"

#include <dlfcn.h>

#include <string>

namespace corespec {
namespace {

/// The launch layer's library, which lies beside this one. By its whole path: where a sanitizer
/// stands between, a name alone would be looked for from the sanitizer's library.
void* launch_library() {
  constexpr const char* name = "libcastor_launch.so";
  Dl_info own{};
  void* library = nullptr;
  if (dladdr(reinterpret_cast<const void*>(&launch_library), &own) != 0) {
    const std::string path = own.dli_fname;
    library = dlopen((path.substr(0, path.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
  return library != nullptr ? library : dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

Process* adopt_process() {
  if (Process* process = this_process_or_null()) return process;
  using Adopt = int (*)();
  void* symbol = dlsym(RTLD_DEFAULT, "castor_adopt_singleton");
  if (symbol == nullptr) {
    void* library = launch_library();
    if (library != nullptr) symbol = dlsym(library, "castor_adopt_singleton");
  }
  if (symbol != nullptr && reinterpret_cast<Adopt>(symbol)() == 0) return this_process_or_null();
  return nullptr;
}

}  // namespace corespec
