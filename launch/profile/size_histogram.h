// Messages by size: classes that double.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace launch {

/// How many messages, and how many bytes in all, of each class. Class 0 holds messages without
/// bytes, class k those of [2^(k-1), 2^k) bytes.
class SizeHistogram {
 public:
  static constexpr std::size_t classes = 42;

  static constexpr std::size_t class_of(std::uint64_t bytes) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(bytes)), classes - 1);
  }
  /// The fewest bytes of a message of class `number`.
  static constexpr std::uint64_t begin_of(std::size_t number) {
    return number == 0 ? 0 : std::uint64_t{1} << (number - 1);
  }

  void add(std::uint64_t bytes) { add(class_of(bytes), 1, bytes); }
  void add(std::size_t number, std::uint64_t messages, std::uint64_t bytes) {
    messages_[number] += messages;
    bytes_[number] += bytes;
  }
  void add(const SizeHistogram& other) {
    for (std::size_t i = 0; i < classes; ++i) add(i, other.messages_[i], other.bytes_[i]);
  }
  std::uint64_t messages(std::size_t number) const { return messages_[number]; }
  std::uint64_t bytes(std::size_t number) const { return bytes_[number]; }
  std::uint64_t messages() const { return sum(messages_); }
  std::uint64_t bytes() const { return sum(bytes_); }

 private:
  using Counts = std::array<std::uint64_t, classes>;
  static std::uint64_t sum(const Counts& counts) {
    std::uint64_t all = 0;
    for (const std::uint64_t each : counts) all += each;
    return all;
  }
  Counts messages_{};
  Counts bytes_{};
};

}  // namespace launch
