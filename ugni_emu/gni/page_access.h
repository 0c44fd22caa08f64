// What the host's pages allow.
#pragma once

#include <cstdint>

namespace gni {

/// What a rank may do with the pages at [address, address + length): none where one is missing,
/// else what the first and the last allow, looked at without a change that anybody could see. (Of
/// these two a writable one that was never touched is committed.) `all` where the kernel does not
/// say.
enum class PageAccess : std::uint8_t { none, read, all };
PageAccess page_access(std::uint64_t address, std::uint64_t length);

}  // namespace gni
