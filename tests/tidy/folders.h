// The order of folders inside the layers: which folder may include which.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"
#include "tests/tidy/source_file.h"

namespace tidy {

/// What folder_order.txt says.
class FolderOrder {
 public:
  /// Lines of "folder: folder folder", those that come first lowest; "#" begins a comment. What is
  /// wrong with the list itself (a folder twice, a folder that uses one that comes later or none)
  /// goes to `faults`.
  FolderOrder(const std::string& text, std::vector<std::string>& faults);

  /// "order": includes of a folder of the same layer that the list does not allow, and files of a
  /// layer's folder that the list does not know.
  std::vector<Finding> check(const SourceFile& file) const;

  const std::map<std::string, std::set<std::string>>& folders() const { return allowed_; }

 private:
  bool knows_layer(const std::string& layer) const;
  std::map<std::string, std::set<std::string>> allowed_;
};

}  // namespace tidy
