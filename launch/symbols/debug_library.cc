// Finds libdw's functions.
#include "launch/symbols/debug_library.h"

#include <dlfcn.h>

#include <type_traits>

namespace launch {
namespace {

constexpr const char* library_name = "libdw.so.1";

}  // namespace

DebugLibrary::DebugLibrary(void* handle) {
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    complete_ = complete_ && function != nullptr;
  };
#define CASTOR_FIND(function) find(function, #function)
  CASTOR_FIND(dwarf_attr);
  CASTOR_FIND(dwarf_child);
  CASTOR_FIND(dwarf_diecu);
  CASTOR_FIND(dwarf_diename);
  CASTOR_FIND(dwarf_filesrc);
  CASTOR_FIND(dwarf_formudata);
  CASTOR_FIND(dwarf_getsrcfiles);
  CASTOR_FIND(dwarf_haspc);
  CASTOR_FIND(dwarf_siblingof);
  CASTOR_FIND(dwarf_tag);
  CASTOR_FIND(dwfl_begin);
  CASTOR_FIND(dwfl_build_id_find_debuginfo);
  CASTOR_FIND(dwfl_end);
  CASTOR_FIND(dwfl_lineinfo);
  CASTOR_FIND(dwfl_module_addrdie);
  CASTOR_FIND(dwfl_module_addrinfo);
  CASTOR_FIND(dwfl_module_getelf);
  CASTOR_FIND(dwfl_module_getsrc);
  CASTOR_FIND(dwfl_report_begin);
  CASTOR_FIND(dwfl_report_elf);
  CASTOR_FIND(dwfl_report_end);
#undef CASTOR_FIND
}

const DebugLibrary* DebugLibrary::load() {
  static const DebugLibrary* const library = []() -> const DebugLibrary* {
    void* const handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    static const DebugLibrary found(handle);
    return found.complete_ ? &found : nullptr;
  }();
  return library;
}

}  // namespace launch
