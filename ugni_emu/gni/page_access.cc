// What the host's pages allow. Futex calls fail where a load or an atomic would; msync() where
// there are no pages, and touches none.
#include "ugni_emu/gni/page_access.h"

#include <linux/futex.h>
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

/// Nobody is woken; the kernel has added 0 to the word, atomically.
bool writable(std::uint64_t at) {
  std::uint32_t nobodys = 0;
  constexpr unsigned add_nothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  const long code =
      syscall(SYS_futex, &nobodys, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, at, add_nothing);
  return code >= 0 || errno != EFAULT;
}

PageAccess at(std::uint64_t address) {
  const std::uint64_t aligned = address / word * word;
  if (writable(aligned)) return PageAccess::all;
  return readable(aligned) ? PageAccess::read : PageAccess::none;
}

bool without_holes(std::uint64_t address, std::uint64_t length) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = address / page * page;
  return msync(reinterpret_cast<void*>(first), address + length - first, MS_ASYNC) == 0 ||
         errno != ENOMEM;
}

}  // namespace

PageAccess page_access(std::uint64_t address, std::uint64_t length) {
  if (!without_holes(address, length)) return PageAccess::none;
  return std::min(at(address), at(address + length - 1));
}

}  // namespace gni
