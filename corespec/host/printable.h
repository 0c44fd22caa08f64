// Text of others (names, arguments, messages) as a line of ours may show it.
#pragma once

#include <string>
#include <string_view>

namespace corespec {

/// `text` in one line: each control character stands as `\n`, `\t` or `\x1b`, so that no name can
/// move a terminal's cursor or pass for a line of ours. Bytes of UTF-8 stay as they are.
std::string printable(std::string_view text);

}  // namespace corespec
