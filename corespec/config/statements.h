// Statements of a setting or a file: a name and values by key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/time/time.h"

namespace corespec {

/// One statement, such as "link-down router=5 link=X+ at=9ms". Each value is asked for by its key,
/// once; what is wrong is thrown as std::invalid_argument, in a line that begins with where the
/// statement stands.
class Statement {
 public:
  Statement(std::string where, std::string name,
            std::vector<std::pair<std::string, std::string>> values)
      : where_(std::move(where)), name_(std::move(name)), values_(std::move(values)) {}

  const std::string& name() const { return name_; }

  std::optional<std::string> text(std::string_view key);
  /// Of [lowest, highest].
  std::optional<std::int64_t> number(std::string_view key, std::int64_t lowest,
                                     std::int64_t highest);
  /// A number with a unit, from 0 to a year: 250ns, 1.5us, 9ms, 2s.
  std::optional<Time> time(std::string_view key);

  /// All values have been asked for: any other is refused, with the keys that there are.
  void end() const;
  /// Throws.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string where_, name_;
  std::vector<std::pair<std::string, std::string>> values_;  ///< not asked for yet
  std::vector<std::string> asked_;
};

/// The statements of `text`, which semicolons and ends of lines divide; # begins a comment, until
/// the end of the line. `origin`: the setting or the file. Throws as Statement does.
std::vector<Statement> parse_statements(std::string_view text, const std::string& origin);

/// The same of a setting's value: statements, or, if no = is in it, the name of a file of them.
std::vector<Statement> read_statements(const std::string& setting, const std::string& value);

}  // namespace corespec
