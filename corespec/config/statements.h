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

/// One statement, such as "link-down router=5 link=X+ at=9ms". The reader takes each value by its
/// key, once. A mistake is a std::invalid_argument of one line, which begins with the statement's
/// place.
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
  /// A decimal number of [lowest, highest].
  std::optional<double> real(std::string_view key, double lowest, double highest);
  /// A number with a unit (ps, ns, us, ms, s), from 0 to 1,000,000 s.
  std::optional<Time> time(std::string_view key);

  /// The reader has taken all values that it knows: refuses any other, and names the known keys.
  void end() const;
  /// Throws.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string where_, name_;
  std::vector<std::pair<std::string, std::string>> values_;  ///< not taken yet
  std::vector<std::string> asked_;
};

/// The statements of `text`, which semicolons and ends of lines divide; # begins a comment, until
/// the end of the line. `origin`: the setting or the file. Throws as Statement does.
std::vector<Statement> parse_statements(std::string_view text, const std::string& origin);

/// The same of a setting's value: statements, or, if no = is in it, the name of a file of them.
/// `names`: of statements that may be without values; one of these is no file.
std::vector<Statement> read_statements(const std::string& setting, const std::string& value,
                                       const std::vector<std::string_view>& names = {});

}  // namespace corespec
