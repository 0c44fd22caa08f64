// Memory without data: addresses that a program may send and receive, and no byte behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace corespec::without_data {

/// The addresses are one range, the same in every process, so that asking costs two instructions
/// and no state. Every rank has all of them for itself: nothing is there that two ranks could
/// share. Neither the host's loader nor a sanitizer puts anything there.
inline constexpr std::uintptr_t first_address = std::uintptr_t{1} << 45;
inline constexpr std::size_t range_bytes = std::size_t{1} << 40;

/// True if there is no data at this address.
inline bool holds(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at) - first_address < range_bytes;
}

/// Keeps the range from being used for anything else, for as long as the process lives; a read or
/// write there is a SIGSEGV. False if the host refuses.
bool reserve();

/// Bytes that stand for those that are not there, where a message is so short that it carries its
/// bytes with it. No run of zeros or ones: a network that compresses those finds none.
inline constexpr std::size_t most_filler = std::size_t{128} * 1024;
std::span<const std::byte> filler(std::size_t bytes);

/// memcpy(), or nothing if either side has no data.
inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0 && !holds(to) && !holds(from)) std::memcpy(to, from, bytes);
}

}  // namespace corespec::without_data
