// Files that building takes into a program. castor_embed() (CMakeLists.txt) names them for a
// source.
#pragma once

#include <string_view>

/// Defines NAME_begin and NAME_end around the bytes of a file.
#define CASTOR_FILE_AS(name, file)                                              \
  __asm__(".pushsection .rodata\n" #name "_begin: .incbin \"" file "\"\n" #name \
          "_end: .byte 0\n"                                                     \
          ".popsection\n");                                                     \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin[], name##_end[]

/// The bytes of such a file.
#define CASTOR_FILE(name) (std::string_view{name##_begin, std::size_t(name##_end - name##_begin)})
