// A line on a terminal that says how far a run has come.
#include "launch/virtual_launcher/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace launch {
namespace {

constexpr const char* to_begin_and_erase = "\r\033[K";

}  // namespace

bool ProgressLine::has_terminal() { return isatty(STDERR_FILENO) != 0; }

void ProgressLine::show(std::string_view text) {
  std::fputs(fmt::format("{}{}", to_begin_and_erase, text).c_str(), terminal_);
  std::fflush(terminal_);
  shown_ = true;
}

void ProgressLine::erase() {
  shown_ = false;
  std::fputs(to_begin_and_erase, terminal_);
  std::fflush(terminal_);
}

std::uint64_t Rate::next(std::uint64_t number, double elapsed_s) {
  const double seconds = elapsed_s - std::exchange(elapsed_s_, elapsed_s);
  const auto more = static_cast<double>(number - std::exchange(number_, number));
  return seconds > 0 ? static_cast<std::uint64_t>(more / seconds) : 0;
}

std::string short_number(std::uint64_t number) {
  constexpr double million = 1e6;
  constexpr double milliard = 1e9;
  const auto value = static_cast<double>(number);
  if (value >= milliard) return fmt::format("{:.3g} thousand million", value / milliard);
  if (value >= million) return fmt::format("{:.3g} million", value / million);
  return fmt::format("{}", number);
}

}  // namespace launch
