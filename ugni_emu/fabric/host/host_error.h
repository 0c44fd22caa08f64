// What the live wire says when the host refuses it something.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace ugni::fabric {

/// Throws std::runtime_error: `what` was refused, and errno's reason.
[[noreturn]] inline void refused_by_host(const char* what) {
  throw std::runtime_error(fmt::format("live wire: {}: {}", what, std::strerror(errno)));
}

}  // namespace ugni::fabric
