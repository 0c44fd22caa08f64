// What the host's pages allow.
#pragma once

#include <cstdint>

namespace gni {

/// What a rank may do with the pages at [address, address + length): the first and the last are
/// looked at, each with one system call and without a change that anybody could see. A writable
/// page that was never touched is committed by the look. `all` where the kernel does not say.
enum class PageAccess : std::uint8_t { none, read, all };
PageAccess page_access(std::uint64_t address, std::uint64_t length);

}  // namespace gni
