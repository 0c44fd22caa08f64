// Counting the words that compression leaves out.
#include "ugni_emu/gemini/format/compression.h"

#include <algorithm>

namespace gemini {
namespace {

constexpr std::size_t word = 8;

bool is_run(std::span<const std::byte> bytes) {
  const std::byte first = bytes.front();
  if (first != std::byte{0x00} && first != std::byte{0xFF}) return false;
  return std::all_of(bytes.begin(), bytes.end(), [first](std::byte each) { return each == first; });
}

std::size_t phits_of(std::size_t bytes, std::size_t phit_bytes) {
  return (bytes + phit_bytes - 1) / phit_bytes;
}

}  // namespace

std::uint32_t saved_phits(std::span<const std::byte> bytes, std::size_t packet_payload,
                          std::size_t phit_bytes) {
  std::size_t saved = 0;
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.size(), packet_payload);
    std::size_t left = length;
    for (std::size_t at = 0; at < length; at += word) {
      const std::size_t here = std::min(word, length - at);
      if (is_run(bytes.subspan(at, here))) left -= here;
    }
    const std::size_t before = phits_of(length, phit_bytes);
    const std::size_t after = phits_of(left, phit_bytes) + 1;
    if (after < before) saved += before - after;
    bytes = bytes.subspan(length);
  }
  return static_cast<std::uint32_t>(saved);
}

}  // namespace gemini
