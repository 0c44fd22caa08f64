// Opens files without waiting longer than a run may last.
#include "corespec/host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "corespec/host/host_time.h"
#include "corespec/host/printable.h"

namespace corespec {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& name,
                         const std::string& why) {
  throw std::runtime_error(fmt::format("{} {}: {}", option, printable(name), why));
}

/// -1 where that is not possible; ENXIO: it is a pipe that no process reads.
int open_at_once(const std::string& name) {
  constexpr mode_t anyone = 0666;
  return open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, anyone);
}

}  // namespace

std::FILE* open_output(const std::string& option, const std::string& name, double patience_s) {
  constexpr double second_ns = 1e9;
  constexpr int between_looks_ms = 20;
  const std::int64_t begin = host_time_ns();
  int file = open_at_once(name);
  while (file < 0 && errno == ENXIO) {
    if (patience_s > 0 && static_cast<double>(host_time_ns() - begin) > patience_s * second_ns) {
      refuse(option, name,
             fmt::format("no process has read this pipe for {:g} s (--limit)", patience_s));
    }
    poll(nullptr, 0, between_looks_ms);
    file = open_at_once(name);
  }
  if (file < 0) refuse(option, name, std::strerror(errno));
  // What is written waits for room, as everywhere.
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  std::FILE* const stream = fdopen(file, "w");
  if (stream == nullptr) refuse(option, name, std::strerror(errno));
  return stream;
}

}  // namespace corespec
