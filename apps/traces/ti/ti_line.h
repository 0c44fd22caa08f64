// A line's fields, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/traces/dumpi/text_lines.h"

namespace ti {

/// All errors are those of dumpi::Lines. `form` says what the line must be: it is quoted if a field
/// is missing, or is no number.
class Line {
 public:
  explicit Line(const dumpi::Lines& lines) : lines_(lines), rest_(lines.line()) { skip(); }

  void set_form(std::string_view form) { form_ = form; }
  [[noreturn]] void fail() const { lines_.must_be(form_); }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

  /// True if the line has another field.
  bool more() const { return !rest_.empty(); }
  std::string_view word();
  void end() const {
    if (more()) fail();
  }

  std::int32_t whole();
  /// A number that may be written as 1e6; `what` is its name.
  double amount(const char* what);
  /// The same, of elements: 0 to 2^31 - 1, what is behind the point is cut off.
  std::int32_t count(const char* what);

 private:
  void skip();

  const dumpi::Lines& lines_;
  std::string_view rest_;
  std::string_view form_;
};

}  // namespace ti
