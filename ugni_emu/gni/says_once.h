// A function that does less here than on the real machine tells the user so.
#pragma once

#include "ugni_emu/gni/gni_caller.h"

namespace gni {

/// Returns `code`. The first time in a process, `function` is said not to be available on standard
/// error, since `why`: what it returns may look like the program's own fault.
gni_return_t not_available(Caller& caller, const char* why, gni_return_t code,
                           const char* function = __builtin_FUNCTION());

}  // namespace gni
