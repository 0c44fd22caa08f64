// Text as roff has it, for manual pages (man(7)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launch {

/// Plain text: nothing in it is taken for a request or an escape.
std::string roff(std::string_view text);

/// A manual page that grows line by line.
class ManualPage {
 public:
  /// `name` in capitals is the title; `summary` is what apropos shows, behind `names`.
  ManualPage(std::string_view name, int section, std::string_view version, std::string_view names,
             std::string_view summary);
  void heading(std::string_view title);
  void paragraph(std::string_view text);
  /// A line of commands or output, as it is.
  void example(const std::vector<std::string>& lines);
  /// A paragraph with a tag in front: `bold` names, then `italic` values.
  void tagged(const std::vector<std::string>& bold, std::string_view italic, std::string_view text);
  /// A new line within a paragraph.
  void line(std::string_view text);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace launch
