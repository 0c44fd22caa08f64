// A program's first call to one of the libraries: which rank is it?
#include "corespec/job/adopt_process.h"

#include <dlfcn.h>

namespace corespec {

Process* adopt_process() {
  if (Process* process = this_process_or_null()) return process;
  using Adopt = int (*)();
  void* symbol = dlsym(RTLD_DEFAULT, "castor_adopt_singleton");
  if (symbol == nullptr) {
    void* library = dlopen("libcastor_launch.so", RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) symbol = dlsym(library, "castor_adopt_singleton");
  }
  if (symbol != nullptr && reinterpret_cast<Adopt>(symbol)() == 0) return this_process_or_null();
  return nullptr;
}

}  // namespace corespec
