// The memory of threads' stacks takes no more than what is touched, whatever the system does with
// pages.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

/// What the kernel says of the mapping that holds `at` ("VmFlags" of its entry).
std::string flags_of(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream text(line);
    if (text >> std::hex >> begin >> dash >> end && dash == '-') {
      here = begin <= address && address < end;
    } else if (here && line.starts_with("VmFlags:")) {
      return line + ' ';
    }
  }
  return {};
}

TEST_F(ThreadsTest, StacksDoNotLieOnHugePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "the kernel has none";
  }
  build(1, 0);
  std::string flags;
  start(0, [&] {
    const int local = 0;
    flags = flags_of(&local);
  });
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_NE(flags.find(" nh "), std::string::npos) << flags;
}

}  // namespace
}  // namespace corespec
