// What is said when there is no memory.
#include "corespec/host/what_happened.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <new>

namespace corespec {

std::string what_happened(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return error.what();
  constexpr rlim_t kibibyte = 1024;
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return fmt::format(
      "no memory: {}; allow more, or use fewer ranks or smaller stacks (CASTOR_STACK_SIZE)",
      limited ? fmt::format("ulimit -v allows {} KB", limit.rlim_cur / kibibyte)
              : std::string("the host gives no more"));
}

}  // namespace corespec
