// The launcher's own stack, which `ulimit -s` may have made too small.
#pragma once

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "launch/description/options.h"

namespace launch {

/// Raises a small limit to what is usual: a stack may grow up to the limit of the moment. Throws
/// UsageError if the system allows less than a launcher needs.
inline void ensure_own_stack() {
  constexpr rlim_t usual = rlim_t{8} << 20;
  constexpr rlim_t needed = rlim_t{256} << 10;
  constexpr rlim_t kibibyte = 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= usual) return;
  const rlimit wanted{usual, std::max(limit.rlim_max, usual)};  // more than the hard one: for root
  const rlimit allowed{limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_STACK, &wanted) == 0 || limit.rlim_cur >= needed) return;
  if (limit.rlim_max >= needed && setrlimit(RLIMIT_STACK, &allowed) == 0) return;
  throw UsageError(fmt::format("ulimit -s allows a stack of {} KB; a launcher needs {}",
                               limit.rlim_max / kibibyte, needed / kibibyte));
}

}  // namespace launch
