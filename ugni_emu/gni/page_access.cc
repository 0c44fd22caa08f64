// What the host's pages allow. Futex calls fail where a load or an atomic would; msync() where
// there are no pages, and touches none. For what lies between two pages the kernel is asked by
// mapping, as reading /proc/self/maps would take longer the more ranks there are.
#include "ugni_emu/gni/page_access.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gni {
namespace {

constexpr std::uint64_t word = sizeof(std::uint32_t);

/// A wait that is over at once: the kernel has read the word.
bool readable(std::uint64_t at) {
  const timespec at_once{};
  const long code = syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, 0, &at_once, nullptr, 0);
  return code == 0 || errno != EFAULT;
}

/// No thread is woken; the kernel has added 0 to the word, atomically.
bool writable(std::uint64_t at) {
  std::uint32_t no_waiters = 0;
  constexpr unsigned add_nothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  const long code =
      syscall(SYS_futex, &no_waiters, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, at, add_nothing);
  return code >= 0 || errno != EFAULT;
}

PageAccess at(std::uint64_t address) {
  const std::uint64_t aligned = address / word * word;
  if (writable(aligned)) return PageAccess::all;
  return readable(aligned) ? PageAccess::read : PageAccess::none;
}

/// The kernel's struct procmap_query, which the headers of older ones lack.
struct MappingQuery {
  std::uint64_t size = sizeof(MappingQuery);
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t begin = 0, end = 0;  ///< of the mapping, as what follows
  std::uint64_t access = 0;
  std::uint64_t page_size = 0, offset = 0, inode = 0;
  std::uint32_t device[2] = {};
  std::uint32_t name_size = 0, build_size = 0;  ///< nothing is asked for
  std::uint64_t name = 0, build = 0;
};
static_assert(sizeof(MappingQuery) == 104);
constexpr std::uint64_t mapping_readable = 1;
constexpr std::uint64_t mapping_writable = 2;
constexpr unsigned long query_mapping = _IOWR('f', 17, MappingQuery);

/// Of all pages in [begin, end), none of which is missing.
PageAccess between(std::uint64_t begin, std::uint64_t end) {
  // Opened anew each time: it shows the process that has opened it, and this one may fork.
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return PageAccess::all;
  PageAccess least = PageAccess::all;
  while (begin < end) {
    MappingQuery query;
    query.address = begin;
    if (ioctl(maps, query_mapping, &query) != 0 || query.end <= begin) break;
    const bool readable = (query.access & mapping_readable) != 0;
    const bool writable = readable && (query.access & mapping_writable) != 0;
    if (!writable) least = std::min(least, readable ? PageAccess::read : PageAccess::none);
    begin = query.end;
  }
  close(maps);
  return least;
}

std::uint64_t page_size() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

bool without_holes(std::uint64_t address, std::uint64_t length) {
  const std::uint64_t page = page_size();
  const std::uint64_t first = address / page * page;
  return msync(reinterpret_cast<void*>(first), address + length - first, MS_ASYNC) == 0 ||
         errno != ENOMEM;
}

}  // namespace

PageAccess page_access(std::uint64_t address, std::uint64_t length) {
  if (!without_holes(address, length)) return PageAccess::none;
  const PageAccess ends = std::min(at(address), at(address + length - 1));
  const std::uint64_t page = page_size();
  const std::uint64_t second = address / page * page + page;
  const std::uint64_t last = (address + length - 1) / page * page;
  return second < last ? std::min(ends, between(second, last)) : ends;
}

}  // namespace gni
