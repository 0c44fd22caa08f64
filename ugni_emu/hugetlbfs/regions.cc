// libhugetlbfs: memory in huge pages, or in ordinary ones that lie as those would.
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "ugni_emu/include/hugetlbfs.h"

namespace {

/// Where a region's mapping begins and how long it is. It stands at the end of the ordinary page
/// before the region, so that the region can be given back by its address alone.
struct Mapping {
  void* begin;
  std::size_t bytes;
};

constexpr std::size_t ordinary_page = 4096;

/// Without huge pages on the host, those of x86-64.
std::size_t huge_page() {
  constexpr long usual = 2L << 20;
  const int before = errno;
  const long size = gethugepagesize();
  errno = before;
  return static_cast<std::size_t>(size > 0 ? size : usual);
}

std::optional<std::size_t> whole_pages(std::size_t bytes, std::size_t page) {
  if (bytes == 0 || bytes > SIZE_MAX / 2 - 2 * page) return std::nullopt;
  return (bytes + page - 1) / page * page;
}

void* map(void* at, std::size_t bytes, int more_flags) {
  void* const begin =
      mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return begin == MAP_FAILED ? nullptr : begin;
}

void record(std::byte* region, const Mapping& mapping) {
  std::memcpy(region - sizeof mapping, &mapping, sizeof mapping);
}

void unmap_region(void* region) {
  if (region == nullptr) return;
  Mapping mapping{};
  std::memcpy(&mapping, static_cast<std::byte*>(region) - sizeof mapping, sizeof mapping);
  munmap(mapping.begin, mapping.bytes);
}

std::byte* map_ordinary(std::size_t bytes, std::size_t page) {
  const std::size_t all = bytes + page + ordinary_page;
  void* const begin = map(nullptr, all, 0);
  if (begin == nullptr) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(begin) + ordinary_page;
  auto* const region = reinterpret_cast<std::byte*>((first + page - 1) / page * page);
  record(region, {begin, all});
  return region;
}

/// Null if the host has not as many free, or has them only where there is no place for the record.
std::byte* map_huge(std::size_t bytes) {
  auto* const region = static_cast<std::byte*>(map(nullptr, bytes, MAP_HUGETLB));
  if (region == nullptr) return nullptr;
  std::byte* const before = region - ordinary_page;
  void* const page = map(before, ordinary_page, MAP_FIXED_NOREPLACE);
  if (page == before) {
    record(region, {before, bytes + ordinary_page});
    return region;
  }
  if (page != nullptr) munmap(page, ordinary_page);
  munmap(region, bytes);
  return nullptr;
}

void* give_region(std::size_t length, bool strict) {
  const std::size_t page = huge_page();
  const std::optional<std::size_t> bytes = whole_pages(length, page);
  if (!bytes) {
    errno = EINVAL;
    return nullptr;
  }
  std::byte* region = map_huge(*bytes);
  if (region == nullptr && !strict) region = map_ordinary(*bytes, page);
  if (region == nullptr) errno = ENOMEM;
  return region;
}

}  // namespace

extern "C" {

void* get_huge_pages(size_t len, ghp_t flags) {
  if (flags != GHP_DEFAULT || len % huge_page() != 0) {
    errno = EINVAL;
    return nullptr;
  }
  return give_region(len, true);
}

void free_huge_pages(void* ptr) { unmap_region(ptr); }

void* get_hugepage_region(size_t len, ghr_t flags) {
  return give_region(len, (flags & GHR_STRICT) != 0);
}

void free_hugepage_region(void* ptr) { unmap_region(ptr); }

}  // extern "C"
