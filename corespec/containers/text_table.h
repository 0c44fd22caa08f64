// Texts that records point to.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace corespec {

/// Keeps each text once, and where it is. In its own process a record's name is a literal; where
/// the record is read in another process its name has to be kept. The table must outlive the
/// records.
class TextTable {
 public:
  TextTable() = default;
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;

  /// The kept text, which ends with a zero byte.
  const char* keep(std::string_view text) {
    const auto found = texts_.find(text);
    return (found != texts_.end() ? found : texts_.emplace(text).first)->c_str();
  }

 private:
  std::set<std::string, std::less<>> texts_;  // a node stays where it is
};

}  // namespace corespec
