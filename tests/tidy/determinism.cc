// Rules that keep a run the same whatever the clock is and wherever memory lies.
#include <regex>

#include "tests/tidy/rules.h"

namespace tidy {
namespace {

bool lies_in(const std::string& path, std::initializer_list<const char*> folders) {
  for (const char* folder : folders) {
    if (path.rfind(folder, 0) == 0) return true;
  }
  return false;
}

/// Libraries that one source serves on both clocks, and what they do not own: the two ends of the
/// wire seam may know their clock.
bool is_above_the_seams(const std::string& path) {
  return lies_in(path, {"ugni_emu/", "netmod/", "armci/"}) &&
         !lies_in(path, {"ugni_emu/fabric/", "ugni_emu/gemini/"});
}

/// What decides virtual times.
bool is_model(const std::string& path) {
  return lies_in(path, {"corespec/", "ugni_emu/", "netmod/", "armci/"}) &&
         !lies_in(path, {"corespec/live/", "corespec/host/", "ugni_emu/fabric/"});
}

void find(const std::regex& sought, const std::string& text, const SourceFile& file,
          const char* rule, const char* what, std::vector<Finding>& findings) {
  for (std::sregex_iterator it(text.begin(), text.end(), sought), end; it != end; ++it) {
    const int line = line_of(text, static_cast<std::size_t>(it->position(1)));
    findings.push_back({rule, file.path, line, what + std::string(": ") + it->str(1)});
  }
}

}  // namespace

std::vector<Finding> check_seams(const SourceFile& file) {
  static const std::regex owned(
      R"(corespec/(?:(?:virtual|live)/|host/(?:futex|os_thread|host_time|in_child)\b).*)");
  static const std::regex name(
      R"re(\b((?:Virtual|Live)[A-Z]\w*|is_(?:virtual|live)\w*|(?:virtual|live)_(?:time|clock)\w*)\b)re");
  std::vector<Finding> findings;
  if (!is_code(file.path) || !is_above_the_seams(file.path)) return findings;
  for (const auto& [target, line] : includes_of(file)) {
    if (!std::regex_match(target, owned)) continue;
    findings.push_back({"seams", file.path, line,
                        "a header of one clock's or of the host's above the seams: " + target});
  }
  find(name, file.code, file, "seams", "a name of one clock's above the seams", findings);
  return findings;
}

std::vector<Finding> check_order(const SourceFile& file) {
  static const std::regex hashed(R"(\b(std::(?:unordered_\w+|hash)\b))");
  static const std::regex by_address(
      R"(\b(std::(?:multi)?(?:map|set)<\s*(?:const\s+)?[\w:]+(?:\s+const)?\s*\*|std::less<[^<>]*\*\s*>))");
  std::vector<Finding> findings;
  if (!is_code(file.path) || !is_model(file.path)) return findings;
  find(hashed, file.code, file, "unordered", "an order that the library chooses", findings);
  find(by_address, file.code, file, "unordered", "an order by address", findings);
  return findings;
}

}  // namespace tidy
