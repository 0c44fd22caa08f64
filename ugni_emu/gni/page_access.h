// What the host's pages allow.
#pragma once

#include <cstdint>

namespace gni {

/// What a rank may do with the pages at [address, address + length): none where one is missing,
/// else what the least accessible of them allows, looked at without a change that a thread could
/// see. (Of the first and the last a writable one that was never touched is committed.) Kernels
/// before Linux 6.11 do not say what is between these two: it is taken to be like them. `all` where
/// the kernel says nothing at all.
enum class PageAccess : std::uint8_t { none, read, all };
PageAccess page_access(std::uint64_t address, std::uint64_t length);

}  // namespace gni
