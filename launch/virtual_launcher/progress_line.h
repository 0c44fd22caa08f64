// A line on a terminal that says how far a run has come.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace launch {

/// Stands on the terminal's last line until something else is written there.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* terminal) : terminal_(terminal) {}

  /// True if standard error is a terminal.
  static bool has_terminal();

  /// Replaces what it said before.
  void show(std::string_view text);
  /// Takes it away. Cheap if there is none.
  void clear() {
    if (shown_) erase();
  }

 private:
  void erase();

  std::FILE* terminal_;
  bool shown_ = false;
};

/// How fast a number grows.
class Rate {
 public:
  /// By how much in a second since the last call, or since the beginning.
  std::uint64_t next(std::uint64_t number, double elapsed_s);

 private:
  std::uint64_t number_ = 0;
  double elapsed_s_ = 0;
};

/// "12.3 million", "45,678" as people read large numbers: three significant digits from a million
/// on.
std::string short_number(std::uint64_t number);

}  // namespace launch
