// Memory files that the dynamic loader loads, and what it says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace launch {

/// The directory in which a process finds its open files by their numbers.
constexpr const char* open_files = "/proc/self/fd";

/// A new memory file with these bytes of a copy of `path`. Throws LoadError.
int write_memory_file(const std::string& path, const std::vector<std::byte>& bytes);

/// A path of the open file `fd`, for as long as it stays open.
std::string open_path(int fd);

/// A path of the open file `fd` that no other `number` has: the dynamic loader takes libraries of
/// one name for one library, and descriptors are used again.
std::string unique_path(int fd, std::uint64_t number);

/// The dynamic loader's last message without a memory file's name, on one line.
std::string loader_message();

std::uintptr_t load_address(void* handle);

}  // namespace launch
