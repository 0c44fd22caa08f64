// Files that building takes into the program, for the page.
#include "launch/link_map/page_parts.h"

/// Defines NAME_begin and NAME_end around the bytes of a file.
#define CASTOR_FILE_AS(name, file)                                              \
  __asm__(".pushsection .rodata\n" #name "_begin: .incbin \"" file "\"\n" #name \
          "_end: .byte 0\n"                                                     \
          ".popsection\n");                                                     \
  extern "C" __attribute__((visibility("hidden"))) const char name##_begin[], name##_end[]

CASTOR_FILE_AS(castor_page_html, PAGE_HTML);
CASTOR_FILE_AS(castor_page_script, PAGE_SCRIPT);
CASTOR_FILE_AS(castor_d3_script, D3_SCRIPT);
CASTOR_FILE_AS(castor_d3_licence, D3_LICENCE);

namespace launch {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view page_html() { return between(castor_page_html_begin, castor_page_html_end); }
std::string_view page_script() { return between(castor_page_script_begin, castor_page_script_end); }
std::string_view d3_script() { return between(castor_d3_script_begin, castor_d3_script_end); }
std::string_view d3_licence() { return between(castor_d3_licence_begin, castor_d3_licence_end); }

}  // namespace launch
