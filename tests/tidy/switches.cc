// The rule about switches over enumerations: a case that is missing has to be a warning.
#include <regex>

#include "tests/tidy/rules.h"

namespace tidy {
namespace {

/// Behind the brace that closes the one at `open`.
std::size_t behind_block(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i + 1;
  }
  return code.size();
}

/// A switch's own labels: the blocks and switches in it are blanks.
std::string without_inner_blocks(std::string block) {
  static const std::regex inner(R"(\bswitch\s*\()");
  for (std::smatch found; std::regex_search(block, found, inner);) {
    const auto at = static_cast<std::size_t>(found.position());
    const std::size_t open = block.find('{', at);
    if (open == std::string::npos) break;
    const std::size_t end = behind_block(block, open);
    block.replace(at, end - at, end - at, ' ');
  }
  return block;
}

}  // namespace

std::vector<Finding> check_switches(const SourceFile& file) {
  static const std::regex begin(R"(\bswitch\s*\()");
  static const std::regex scoped(R"(\bcase\s+(?:\w+::)*[A-Z]\w*::\w+\s*:)");
  static const std::regex falls(R"(\bdefault\s*:(?!\s*CASTOR_NEVER\())");
  std::vector<Finding> findings;
  if (!is_code(file.path) || file.path.rfind("tests/", 0) == 0) return findings;
  for (std::sregex_iterator it(file.code.begin(), file.code.end(), begin), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    const std::size_t open = file.code.find('{', at);
    if (open == std::string::npos) break;
    const std::size_t close = behind_block(file.code, open);
    const std::string block = without_inner_blocks(file.code.substr(open + 1, close - open - 1));
    if (!std::regex_search(block, scoped) || !std::regex_search(block, falls)) continue;
    findings.push_back({"switch", file.path, line_of(file.text, at),
                        "a default hides which cases of an enumeration are missing"});
  }
  return findings;
}

}  // namespace tidy
