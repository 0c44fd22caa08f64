// Whether the kernel lets a process have the mappings that copies of a program take.
#include "launch/loader/mapping_room.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "launch/loader/load_error.h"

namespace launch {
namespace {

/// For what the run itself maps later.
constexpr std::size_t reserve = 500;

}  // namespace

std::size_t count_mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

void check_mapping_room(const std::string& program, std::size_t before, std::size_t copies) {
  std::size_t limit = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> limit)) return;
  const std::size_t now = count_mappings();
  const std::size_t each = now > before ? now - before : 1;
  const std::size_t room = limit > now + reserve ? (limit - now - reserve) / each : 0;
  constexpr std::size_t loaded = 2;
  if (copies <= room + loaded) return;
  throw LoadError(program, "no room for " + std::to_string(copies) + " copies: each takes " +
                               std::to_string(each) +
                               " mappings, and the kernel's vm.max_map_count (" +
                               std::to_string(limit) + ") allows " + std::to_string(room + loaded) +
                               "; use fewer ranks, raise it with sysctl, or declare the program "
                               "CORESPEC_SHARED_IMAGE if it has no globals");
}

}  // namespace launch
