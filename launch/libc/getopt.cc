// Interposed libc: getopt, getopt_long and getopt_long_only with a rank's own state.
#include <getopt.h>

#include "launch/libc/option_scanner.h"
#include "launch/libc/real.h"

namespace {

using LongGetopt = int(int, char* const*, const char*, const option*, int*);

int scan_long(const char* name, int argc, char* const* argv, const char* short_options,
              const option* long_options, int* index, bool single_dash) {
  launch::RankProgram* program = launch::running_program_or_null();
  if (program == nullptr) {
    return launch::real_function<LongGetopt>(name)(argc, argv, short_options, long_options, index);
  }
  launch::OptionScanner scanner(*program, argc, const_cast<char**>(argv), short_options);
  return scanner.next(long_options, index, single_dash);
}

}  // namespace

extern "C" {

int getopt(int argc, char* const* argv, const char* options) noexcept {
  launch::RankProgram* program = launch::running_program_or_null();
  if (program == nullptr) {
    return launch::real_function<int(int, char* const*, const char*)>("getopt")(argc, argv,
                                                                                options);
  }
  launch::OptionScanner scanner(*program, argc, const_cast<char**>(argv), options);
  return scanner.next(nullptr, nullptr, false);
}

int getopt_long(int argc, char* const* argv, const char* short_options, const option* long_options,
                int* index) noexcept {
  return scan_long("getopt_long", argc, argv, short_options, long_options, index, false);
}

int getopt_long_only(int argc, char* const* argv, const char* short_options,
                     const option* long_options, int* index) noexcept {
  return scan_long("getopt_long_only", argc, argv, short_options, long_options, index, true);
}

}  // extern "C"
