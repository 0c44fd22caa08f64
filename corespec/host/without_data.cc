// Memory without data: its addresses are reserved once in a process.
#include "corespec/host/without_data.h"

#include <sys/mman.h>

#include <array>

namespace corespec::without_data {
namespace {

bool map_range() {
  void* const wanted = reinterpret_cast<void*>(first_address);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const mapped = mmap(wanted, range_bytes, PROT_NONE, flags, -1, 0);
  if (mapped == wanted) return true;
  if (mapped != MAP_FAILED) munmap(mapped, range_bytes);  // an old kernel took it for a wish
  return false;
}

std::array<std::byte, most_filler> make_filler() {
  std::array<std::byte, most_filler> bytes{};
  bytes.fill(std::byte{0x55});
  return bytes;
}

}  // namespace

bool reserve() {
  static const bool reserved = map_range();
  return reserved;
}

std::span<const std::byte> filler(std::size_t bytes) {
  static const std::array<std::byte, most_filler> made = make_filler();
  return std::span(made).first(bytes);
}

}  // namespace corespec::without_data
