// What is said when there is no memory, or no descriptor.
#include "corespec/host/what_happened.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace corespec {
namespace {

/// Empty: there is none.
std::string address_limit_alone() {
  constexpr rlim_t kibibyte = 1024;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return fmt::format("ulimit -v allows {} KB", limit.rlim_cur / kibibyte);
}

std::string no_memory() {
  const std::string limit = address_limit_alone();
  return fmt::format(
      "no memory: {}; allow more, or use fewer ranks or smaller stacks (CASTOR_STACK_SIZE)",
      limit.empty() ? "the host gives no more" : limit);
}

}  // namespace

std::string what_happened(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return no_memory();
  std::string said = error.what();
  rlimit limit{};
  const bool by_limit = said.find(std::strerror(EMFILE)) != std::string::npos &&
                        said.find("ulimit -n") == std::string::npos;
  if (by_limit && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    said += fmt::format(" (ulimit -n allows {})", limit.rlim_cur);
  }
  return said;
}

std::string address_limit() {
  const std::string limit = address_limit_alone();
  return limit.empty() ? "" : "; " + limit;
}

std::string no_descriptor(std::string_view purpose) {
  return fmt::format("no descriptor for {}: {}", purpose, std::strerror(errno));
}

}  // namespace corespec
