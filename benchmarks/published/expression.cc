// Expressions over lists of figures: "all steps up", "this by 20 more than that".
#include "benchmarks/published/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace published {
namespace {

using Operation = double (*)(double, double);
using Arguments = std::vector<Values>;

/// Both sides, value by value.
Values each(const Values& left, const Values& right, Operation operation) {
  if (left.size() != right.size() && left.size() != 1 && right.size() != 1) {
    throw DataError(fmt::format("lists of {} and of {} values", left.size(), right.size()));
  }
  Values out;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    out.emplace_back(
        operation(left[left.size() == 1 ? 0 : i].number, right[right.size() == 1 ? 0 : i].number));
  }
  return out;
}

double sum(const Values& values) {
  double all = 0;
  for (const Value& value : values) all += value.number;
  return all;
}

double mean(const Values& values) { return sum(values) / static_cast<double>(values.size()); }

double fall(const Values& values) {
  double most = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    most = std::max(most, values[i - 1].number - values[i].number);
  }
  return most;
}

bool rises(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(), [](const Value& a, const Value& b) {
           return !(b.number > a.number);
         }) == values.end();
}

bool grows(const Values& values, double percent) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].number < (1 - percent / 100) * values[i - 1].number) return false;
  }
  return values.back().number > (1 + percent / 100) * values.front().number;
}

double deviation(const Values& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const Value& value : values) squares += (value.number - middle) * (value.number - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Values rounded(Values values, int decimals) {
  for (Value& value : values) value = Value(text_of(value, decimals));
  return values;
}

Values changes(const Values& values, const Values& at) {
  Values out;
  for (std::size_t i = 1; i < std::min(values.size(), at.size()); ++i) {
    if (values[i].number != values[i - 1].number) {
      out.emplace_back(fmt::format("{}/{}", text_of(at[i - 1], -1), text_of(at[i], -1)));
    }
  }
  return out;
}

double largest(const Values& values) {
  return std::max_element(values.begin(), values.end(),
                          [](const Value& a, const Value& b) { return a.number < b.number; })
      ->number;
}

Values single(double value) { return {Value(value)}; }

struct Function {
  std::size_t arguments;
  Values (*call)(const Arguments&);
};

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"first", {1, [](const Arguments& a) { return Values{a[0].front()}; }}},
      {"last", {1, [](const Arguments& a) { return Values{a[0].back()}; }}},
      {"sum", {1, [](const Arguments& a) { return single(sum(a[0])); }}},
      {"mean", {1, [](const Arguments& a) { return single(mean(a[0])); }}},
      {"count", {1, [](const Arguments& a) { return single(static_cast<double>(a[0].size())); }}},
      {"fall", {1, [](const Arguments& a) { return single(fall(a[0])); }}},
      {"rises", {1, [](const Arguments& a) { return single(rises(a[0]) ? 1 : 0); }}},
      {"grows",
       {2, [](const Arguments& a) { return single(grows(a[0], a[1][0].number) ? 1 : 0); }}},
      {"deviation", {1, [](const Arguments& a) { return single(deviation(a[0])); }}},
      {"largest", {1, [](const Arguments& a) { return single(largest(a[0])); }}},
      {"round",
       {2, [](const Arguments& a) { return rounded(a[0], static_cast<int>(a[1][0].number)); }}},
      {"changes", {2, [](const Arguments& a) { return changes(a[0], a[1]); }}}};
  return all;
}

class Parser {
 public:
  Parser(const std::string& text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  Values all() {
    Values values = condition();
    if (at_ < text_.size()) fault(fmt::format("what is {}?", text_.substr(at_)));
    return values;
  }

 private:
  [[noreturn]] void fault(const std::string& what) const {
    throw DataError(fmt::format("{} in the expression: {}", what, text_));
  }

  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// Takes a sign or a word if it comes next.
  bool take(const std::string& word) {
    blanks();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    blanks();
    return true;
  }

  Values condition() {
    Values left = comparison();
    while (take("and ")) {
      left =
          each(left, comparison(), [](double a, double b) { return a != 0 && b != 0 ? 1. : 0.; });
    }
    return left;
  }

  Values comparison() {
    static const std::array<std::pair<const char*, Operation>, 5> operations{
        {{">=", [](double a, double b) { return a >= b ? 1. : 0.; }},
         {"<=", [](double a, double b) { return a <= b ? 1. : 0.; }},
         {"==", [](double a, double b) { return a == b ? 1. : 0.; }},
         {">", [](double a, double b) { return a > b ? 1. : 0.; }},
         {"<", [](double a, double b) { return a < b ? 1. : 0.; }}}};
    Values left = terms();
    for (const auto& [sign, operation] : operations) {
      if (take(sign)) return each(left, terms(), operation);
    }
    return left;
  }

  Values terms() {
    Values left = factors();
    while (true) {
      if (take("+")) {
        left = each(left, factors(), [](double a, double b) { return a + b; });
      } else if (take("-")) {
        left = each(left, factors(), [](double a, double b) { return a - b; });
      } else {
        return left;
      }
    }
  }

  Values factors() {
    Values left = factor();
    while (true) {
      if (take("*")) {
        left = each(left, factor(), [](double a, double b) { return a * b; });
      } else if (take("/")) {
        left = each(left, factor(), [](double a, double b) { return a / b; });
      } else {
        return left;
      }
    }
  }

  Values factor() {
    blanks();
    if (take("-")) return each(single(0), factor(), [](double a, double b) { return a - b; });
    if (take("(")) {
      Values inner = condition();
      if (!take(")")) fault("a ) is missing");
      return inner;
    }
    if (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) {
      return named();
    }
    return number();
  }

  Values number() {
    const char* const begin = text_.c_str() + at_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    if (end == begin) fault("a number is missing");
    at_ += static_cast<std::size_t>(end - begin);
    blanks();
    return single(value);
  }

  Values named() {
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      name += text_[at_++];
    }
    blanks();
    if (!take("(")) return lookup_(name);
    const auto found = functions().find(name);
    if (found == functions().end()) fault(fmt::format("there is no function {}", name));
    Arguments arguments;
    do arguments.push_back(condition());
    while (take(","));
    if (!take(")")) fault("a ) is missing");
    if (arguments.size() != found->second.arguments) fault(fmt::format("arguments of {}", name));
    for (const Values& values : arguments) {
      if (values.empty()) fault(fmt::format("{} of nothing", name));
    }
    return found->second.call(arguments);
  }

  const std::string& text_;
  const Lookup& lookup_;
  std::size_t at_ = 0;
};

}  // namespace

Values evaluate(const std::string& expression, const Lookup& lookup) {
  return Parser(expression, lookup).all();
}

bool holds(const Values& condition) {
  return std::all_of(condition.begin(), condition.end(),
                     [](const Value& each) { return each.number != 0; });
}

}  // namespace published
