// A line put together in a signal handler.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace launch {

/// Text put together without memory allocation, as a signal handler must. What has no room is left
/// out.
class SignalText {
 public:
  SignalText& operator<<(std::string_view text) {
    const std::size_t length = std::min(text.size(), room());
    std::copy_n(text.begin(), length, end_);
    end_ += length;
    return *this;
  }
  SignalText& number(std::uint64_t value, int base = 10, std::size_t width = 0) {
    std::array<char, 24> digits{};
    char* const last = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
    const auto length = static_cast<std::size_t>(last - digits.data());
    for (std::size_t i = length; i < width; ++i) *this << "0";
    return *this << std::string_view(digits.data(), length);
  }
  std::string_view text() const { return {text_.data(), text_.size() - room()}; }
  /// On standard error.
  void print() const {
    // Not write(), which is interposed and would be the rank's own.
    syscall(SYS_write, STDERR_FILENO, text().data(), text().size());
  }

 private:
  std::size_t room() const { return static_cast<std::size_t>(text_.data() + text_.size() - end_); }
  std::array<char, 512> text_;
  char* end_ = text_.data();
};

}  // namespace launch
