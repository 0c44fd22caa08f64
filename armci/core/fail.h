// How ARMCI gives up.
#pragma once

#include <string_view>

namespace armci {

/// Ends the job with one line that names the function and the rank: many programs do not look at
/// ARMCI's return codes.
[[noreturn]] void fail(std::string_view function, std::string_view what);

}  // namespace armci
