// Left-over shared regions.
#include "ugni_emu/fabric/host/left_over.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

namespace ugni::fabric {
namespace {

/// Process ids mean something within their namespace only, which may share the folder with others.
std::string prefix() {
  struct stat space {};
  const bool known = stat("/proc/self/ns/pid", &space) == 0;
  return fmt::format("castor-wire-{}-", known ? space.st_ino : 0);
}

}  // namespace

std::string region_name(int rank) { return fmt::format("{}{}-{}", prefix(), getpid(), rank); }

void remove_left_over_regions() {
  DIR* const folder = opendir("/dev/shm");
  if (folder == nullptr) return;
  const std::string ours = prefix();
  std::vector<std::string> dead;
  for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.rfind(ours, 0) != 0) continue;
    const int process = std::atoi(name.c_str() + ours.size());
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) dead.push_back(name);
  }
  closedir(folder);
  for (const std::string& name : dead) shm_unlink(("/" + name).c_str());
}

}  // namespace ugni::fabric
