// std::filesystem in a directory of the caller's own. Prints what it found.
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace fs = std::filesystem;

int main() {
  char name[] = "/tmp/castor_filesystem_XXXXXX";
  if (mkdtemp(name) == nullptr) return 1;
  const fs::path here = name;
  fs::current_path(here);
  sched_yield();
  std::ofstream("a") << "text";
  fs::create_directories("outer/inner");
  fs::copy_file("a", "outer/b");
  sched_yield();
  fs::rename("outer/b", "outer/inner/c");
  fs::create_symlink("a", "link");
  fs::permissions("a", fs::perms::owner_all);
  fs::resize_file("a", 2);
  int entries = 0, lost = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(".")) {
    ++entries;
    lost += fs::exists(entry.path()) ? 0 : 1;
    sched_yield();
  }
  std::ostringstream found;
  found << "entries " << entries << " lost " << lost << " size " << fs::file_size("a") << " moved "
        << fs::exists("outer/inner/c") << " link " << (fs::canonical("link") == here / "a")
        << " absolute " << (fs::absolute("a") == here / "a") << " removed "
        << fs::remove_all("outer") << "\n";
  fs::current_path("/");
  fs::remove_all(here);
  std::cout << found.str() << std::flush;
  return 0;
}
