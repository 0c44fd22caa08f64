// Reads the list of folders and holds includes against it.
#include "tests/tidy/folders.h"

#include <algorithm>
#include <sstream>

namespace tidy {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string top_of(const std::string& path) { return path.substr(0, path.find('/')); }

}  // namespace

FolderOrder::FolderOrder(const std::string& text, std::vector<std::string>& faults) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string folder;
    if (!(words >> folder)) continue;
    const auto fault = [&](const std::string& what) {
      faults.push_back("line " + std::to_string(number) + ": " + what);
    };
    if (folder.back() != ':') {
      fault("no colon behind " + folder);
      continue;
    }
    folder.pop_back();
    if (allowed_.count(folder) != 0) fault(folder + " a second time");
    std::set<std::string> used;
    for (std::string other; words >> other;) {
      if (other.back() == ',') other.pop_back();
      if (allowed_.count(other) == 0)
        fault(folder + " uses " + other + ", which no line before has");
      used.insert(other);
    }
    allowed_[folder] = used;
  }
}

bool FolderOrder::knows_layer(const std::string& layer) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const auto& each) { return top_of(each.first) == layer; });
}

std::vector<Finding> FolderOrder::check(const SourceFile& file) const {
  std::vector<Finding> findings;
  const std::string layer = top_of(file.path);
  const std::string folder = folder_of(file.path);
  if (!is_code(file.path) || !knows_layer(layer)) return findings;
  const auto own = allowed_.find(folder);
  if (own == allowed_.end()) {
    findings.push_back({"order", file.path, 1, folder + " is not in the list of folders"});
    return findings;
  }
  for (const auto& [included, line] : includes_of(file)) {
    const std::string target = folder_of(included);
    if (top_of(target) != layer || target == folder || own->second.count(target) != 0) continue;
    findings.push_back({"order", file.path, line, folder + " may not use " + target});
  }
  return findings;
}

}  // namespace tidy
