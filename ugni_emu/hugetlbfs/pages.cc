// libhugetlbfs: which sizes of pages the host has.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ugni_emu/include/hugetlbfs.h"

namespace {

constexpr long bytes_per_kb = 1024;

/// As the kernel names them: a folder hugepages-2048kB for each size.
std::vector<long> huge_sizes() {
  std::vector<long> sizes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", none)) {
    long kilobytes = 0;
    if (std::sscanf(entry.path().filename().c_str(), "hugepages-%ldkB", &kilobytes) == 1) {
      sizes.push_back(kilobytes * bytes_per_kb);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

int tell(const std::vector<long>& sizes, long to[], int room) {
  if (room < 0 || (to == nullptr) != (room == 0)) {
    errno = EINVAL;
    return -1;
  }
  if (to == nullptr) return static_cast<int>(sizes.size());
  const auto count = std::min(sizes.size(), static_cast<std::size_t>(room));
  std::copy_n(sizes.begin(), count, to);
  return static_cast<int>(count);
}

}  // namespace

extern "C" {

long gethugepagesize(void) {
  std::ifstream facts("/proc/meminfo");
  for (std::string line; std::getline(facts, line);) {
    long kilobytes = 0;
    if (std::sscanf(line.c_str(), "Hugepagesize: %ld kB", &kilobytes) == 1) {
      return kilobytes * bytes_per_kb;
    }
  }
  errno = ENOSYS;
  return -1;
}

int gethugepagesizes(long pagesizes[], int n_elem) { return tell(huge_sizes(), pagesizes, n_elem); }

int getpagesizes(long pagesizes[], int n_elem) {
  std::vector<long> sizes = huge_sizes();
  sizes.insert(sizes.begin(), sysconf(_SC_PAGESIZE));
  return tell(sizes, pagesizes, n_elem);
}

}  // extern "C"
