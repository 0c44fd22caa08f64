// The aprun under test.
#include "tests/support/aprun_command.h"

#include <algorithm>
#include <regex>

namespace launch_test {

std::string tool(const std::string& name) { return std::string(BIN) + "/" + name; }

std::string sample(const std::string& name) { return std::string(PROGRAMS) + "/" + name; }

CommandResult aprun(const std::string& arguments, const std::string& variables) {
  return run_command("env " + variables + " " + tool("aprun") + " " + arguments);
}

std::string fingerprint(const std::string& errors) {
  const std::string name = "fingerprint ";
  const auto at = errors.find(name);
  return at == std::string::npos ? "" : errors.substr(at + name.size(), 16);
}

std::string without_places(const std::string& text) {
  static const std::regex place(" at [^ \n]+(:[0-9]+|\\+0x[0-9a-f]+)( \\([^)\n]*\\))?");
  return std::regex_replace(text, place, "");
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace launch_test
