// One line for each function that is not available.
#include "ugni_emu/gni/says_once.h"

#include <fmt/core.h>

#include <cstdio>

namespace gni {

gni_return_t not_available(Caller& caller, const char* why, gni_return_t code,
                           const char* function) {
  if (caller.is_rank() && caller.objects().is_first_mention(function)) {
    fmt::print(stderr, "castor: {} is not available: {}; it returns {}\n", function, why,
               gni_err_str[code]);
  }
  return code;
}

}  // namespace gni
