// Lines of a text, and taking them apart.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/traces/dumpi/bytes.h"

namespace dumpi {

/// The text's lines, and errors that say which one is meant.
class Lines {
 public:
  Lines(const std::string& name, std::string_view text)
      : name_(name), text_(text), end_of_text_(text.data() + text.size()) {}

  /// Goes on to the next line that is not empty.
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (!line_.empty()) return true;
    }
    ++number_;
    line_ = {};
    return false;
  }
  std::string_view line() const { return line_; }
  /// Makes what is left of the line the next one.
  void put_back(std::string_view rest) {
    text_ = std::string_view(rest.data(), static_cast<std::size_t>(end_of_text_ - rest.data()));
    --number_;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}: line {}: {}", name_, number_, what));
  }
  /// Says what the line is not.
  [[noreturn]] void must_be(std::string_view what) const {
    constexpr std::size_t most = 60;
    std::string shown(line_.substr(0, most));
    for (char& each : shown) {
      if (each >= 0 && each < ' ') each = '?';
    }
    fail(fmt::format("'{}{}': must be {}", shown, line_.size() > most ? "..." : "", what));
  }

 private:
  const std::string& name_;
  std::string_view text_;
  const char* end_of_text_;
  std::string_view line_;
  int number_ = 0;
};

/// Takes parts off the front of a line, each of which has to be there.
class Words {
 public:
  Words(const Lines& lines, std::string_view rest, std::string_view form)
      : lines_(&lines), rest_(rest), form_(form) {}

  std::string_view rest() const { return rest_; }
  bool begins(std::string_view what) const { return rest_.starts_with(what); }
  [[noreturn]] void fail() const { lines_->must_be(form_); }

  bool take_if(std::string_view what) {
    if (!begins(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  void take(std::string_view what) {
    if (!take_if(what)) fail();
  }
  /// What stands before `what`, which is taken, too.
  std::string_view until(std::string_view what) {
    const std::size_t end = rest_.find(what);
    if (end == std::string_view::npos) fail();
    const std::string_view before = rest_.substr(0, end);
    rest_.remove_prefix(end + what.size());
    return before;
  }
  template <typename Number>
  Number number() {
    Number value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// S.NNNNNNNNN seconds, in ns.
  std::int64_t time() {
    const std::int64_t whole = number<std::uint32_t>();
    take(".");
    const std::size_t before = rest_.size();
    const std::int64_t ns = number<std::uint32_t>();
    if (before - rest_.size() != 9) fail();
    return whole * second + ns;
  }
  void end() const {
    if (!rest_.empty()) fail();
  }

 private:
  const Lines* lines_;
  std::string_view rest_;
  std::string_view form_;
};

}  // namespace dumpi
