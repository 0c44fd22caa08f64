// One comparison of a published result with ours: what is measured, and how it is judged.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/published/scope.h"
#include "benchmarks/published/source.h"
#include "benchmarks/published/values.h"

namespace published {

/// Figures with a name: from runs, or an expression of those before it.
struct NamedValue {
  std::string name;
  std::string expression;  ///< empty: from the source
  Source source;
};

std::vector<NamedValue> read_values(const Json& node, const Json& definitions, const Scope& scope);

using ValueMap = std::map<std::string, Values>;
ValueMap evaluate(const std::vector<NamedValue>& values, const Runs& runs);

/// An expression of these values.
Values evaluate(const std::string& expression, const ValueMap& values);

/// What a comparison says; the names are those of the columns of --csv.
struct Result {
  std::string quantity, published, ours, deviation, verdict, setup, command;
};

/// A comparison's description: quantity, values, published, ours, and judge, which says how:
///
///   points    published and ours (an expression) are percent; PASS within `within` points
///   percent   published, or low and high: PASS if ours is off by no more than `within` percent
///   beside    the same without a limit: SHOWN
///   range     PASS from low to high;  below: PASS below `limit`
///   holds     PASS if the expression `holds` is true;  same: if `value` is the text `text`
///   shown     SHOWN
///
/// `equal` has two expressions whose figures must be the same: a wrong answer else.
/// `unit` stands behind numbers. Texts have values in braces, with decimals if they are rounded:
/// {off:1}.
class Comparison {
 public:
  Comparison(Json node, Scope scope, std::vector<NamedValue> values)
      : node_(std::move(node)), scope_(std::move(scope)), values_(std::move(values)) {}

  [[nodiscard]] const std::vector<NamedValue>& values() const { return values_; }
  [[nodiscard]] Result judge(const Runs& runs) const;

 private:
  [[nodiscard]] std::string text(const char* name, const ValueMap& values) const;
  void judge_number(Result& result, const std::string& kind, const ValueMap& values) const;

  Json node_;
  Scope scope_;
  std::vector<NamedValue> values_;
};

}  // namespace published
