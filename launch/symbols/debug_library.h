// elfutils' libdw, which reads DWARF: loaded when it is needed.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace launch {

/// Its functions, of the names that they have there.
struct DebugLibrary {
  /// Null where the host has no such library. It stays loaded; where no other library sees it, so
  /// that a program may have another one.
  static const DebugLibrary* load();

#define CASTOR_LIBDW(function) decltype(&::function) function = nullptr
  CASTOR_LIBDW(dwarf_attr);
  CASTOR_LIBDW(dwarf_child);
  CASTOR_LIBDW(dwarf_diecu);
  CASTOR_LIBDW(dwarf_diename);
  CASTOR_LIBDW(dwarf_filesrc);
  CASTOR_LIBDW(dwarf_formudata);
  CASTOR_LIBDW(dwarf_getsrcfiles);
  CASTOR_LIBDW(dwarf_haspc);
  CASTOR_LIBDW(dwarf_siblingof);
  CASTOR_LIBDW(dwarf_tag);
  CASTOR_LIBDW(dwfl_begin);
  CASTOR_LIBDW(dwfl_build_id_find_debuginfo);
  CASTOR_LIBDW(dwfl_end);
  CASTOR_LIBDW(dwfl_lineinfo);
  CASTOR_LIBDW(dwfl_module_addrdie);
  CASTOR_LIBDW(dwfl_module_addrinfo);
  CASTOR_LIBDW(dwfl_module_getelf);
  CASTOR_LIBDW(dwfl_module_getsrc);
  CASTOR_LIBDW(dwfl_report_begin);
  CASTOR_LIBDW(dwfl_report_elf);
  CASTOR_LIBDW(dwfl_report_end);
#undef CASTOR_LIBDW

 private:
  explicit DebugLibrary(void* handle);
  bool complete_ = true;
};

}  // namespace launch
