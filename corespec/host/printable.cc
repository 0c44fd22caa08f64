// Control characters as they may be shown.
#include "corespec/host/printable.h"

#include <fmt/format.h>

namespace corespec {
namespace {

bool is_control(char letter) {
  constexpr unsigned char first_shown = 0x20;
  constexpr unsigned char erase = 0x7f;
  const auto code = static_cast<unsigned char>(letter);
  return code < first_shown || code == erase;
}

std::string escaped(char letter) {
  if (letter == '\n') return "\\n";
  if (letter == '\t') return "\\t";
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for (const char letter : text) {
    if (is_control(letter)) {
      made += escaped(letter);
    } else {
      made += letter;
    }
  }
  return made;
}

}  // namespace corespec
