// One comparison of a published result with ours: what is measured, and how it is judged.
#include "benchmarks/published/comparison.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "benchmarks/published/expression.h"

namespace published {
namespace {

std::string verdict(bool pass) { return pass ? "PASS" : "OUTSIDE"; }

/// As it is printed: what is judged is what the reader sees.
double rounded(double value, int decimals) {
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
}

/// How far a value is from the nearer end of a range, in percent of that end.
double percent_off(double value, double low, double high) {
  if (value < low) return 100 * (value - low) / low;
  return value > high ? 100 * (value - high) / high : 0;
}

}  // namespace

std::vector<NamedValue> read_values(const Json& node, const Json& definitions, const Scope& scope) {
  std::vector<NamedValue> values;
  const auto found = node.find("values");
  if (found == node.end()) return values;
  for (const auto& [name, value] : found->items()) {
    if (value.is_string()) {
      values.push_back({name, scope.fill(value), {}});
    } else {
      values.push_back({name, "", read_source(value, definitions, scope)});
    }
  }
  return values;
}

Values evaluate(const std::string& expression, const ValueMap& values) {
  return evaluate(expression, [&](const std::string& name) -> const Values& {
    const auto found = values.find(name);
    if (found == values.end()) throw DataError(fmt::format("no value {}: {}", name, expression));
    return found->second;
  });
}

ValueMap evaluate(const std::vector<NamedValue>& values, const Runs& runs) {
  ValueMap map;
  for (const NamedValue& each : values) {
    map[each.name] =
        each.expression.empty() ? values_of(each.source, runs) : evaluate(each.expression, map);
  }
  return map;
}

std::string Comparison::text(const char* name, const ValueMap& values) const {
  return scope_.fill(text_at(node_, name), [&](const std::string& braces, std::string& out) {
    const std::size_t colon = braces.find(':');
    const auto found = values.find(braces.substr(0, colon));
    if (found == values.end()) return false;
    const int decimals = colon == std::string::npos ? -1 : std::atoi(braces.c_str() + colon + 1);
    out = text_of(found->second, decimals);
    return true;
  });
}

void Comparison::judge_number(Result& result, const std::string& kind,
                              const ValueMap& values) const {
  const Values ours = evaluate(text("ours", values), values);
  const auto number = [&](const char* name) {
    const std::string said = text(name, values);
    if (!is_number(said)) throw DataError(fmt::format("{}: {} is no number", name, said));
    return std::strtod(said.c_str(), nullptr);
  };
  const std::string unit = node_.contains("unit") ? " " + text("unit", values) : "";
  const double value = ours.front().number;
  result.ours = text_of(ours, -1) + unit;
  if (kind == "points") {
    const double off = rounded(value - number("published"), 1);
    result.published = text("published", values) + " %";
    result.ours = text_of(ours, 1) + " %";
    result.deviation = fmt::format("{:+.1f} points", off);
    result.verdict = verdict(off <= number("within") && off >= -number("within"));
  } else if (kind == "below") {
    result.published = fmt::format("under {}{}", text("limit", values), unit);
    result.deviation = fmt::format("{:+.1f} %", 100 * (value - number("limit")) / number("limit"));
    result.verdict = verdict(value < number("limit"));
  } else if (kind == "range") {
    const double low = number("low"), high = number("high");
    const double off = value < low ? value - low : value > high ? value - high : 0;
    result.published = fmt::format("{}-{}{}", text("low", values), text("high", values), unit);
    result.deviation = off == 0 ? "0" : fmt::format("{:.3f}", off);
    result.verdict = verdict(off == 0);
  } else {  // percent, beside
    const bool single = node_.contains("published");
    const double low = number(single ? "published" : "low");
    const double high = number(single ? "published" : "high");
    const double off = rounded(percent_off(value, low, high), 1);
    result.published =
        single ? text("published", values) + unit
               : fmt::format("{}-{}{}", text("low", values), text("high", values), unit);
    result.deviation = fmt::format("{:+.1f} %", off);
    result.verdict =
        kind == "beside" ? "SHOWN" : verdict(off <= number("within") && off >= -number("within"));
  }
}

Result Comparison::judge(const Runs& runs) const {
  const ValueMap values = evaluate(values_, runs);
  Result result;
  result.quantity = text("quantity", values);
  for (const NamedValue& each : values_) {
    if (each.source.parts.empty()) continue;
    const Command& command = each.source.parts.back().command;
    result.command = command;
    result.setup = runs.of(command).setup;
  }
  if (node_.contains("setup")) result.setup = text("setup", values);
  if (node_.contains("equal")) {
    const auto given = [&](int i) {
      return text_of(evaluate(scope_.fill(node_["equal"].at(i)), values), -1);
    };
    if (given(0) != given(1)) {
      throw std::runtime_error(
          fmt::format("a wrong answer: {} instead of {}: {}", given(0), given(1), result.command));
    }
  }
  const std::string kind = text_at(node_, "judge");
  if (kind == "points" || kind == "percent" || kind == "range" || kind == "below" ||
      kind == "beside") {
    judge_number(result, kind, values);
    return result;
  }
  result.published = text("published", values);
  result.ours = text("ours", values);
  if (kind == "holds") {
    result.verdict = verdict(holds(evaluate(text("holds", values), values)));
  } else if (kind == "same") {
    const std::string found = text_of(evaluate(text("value", values), values), -1);
    result.verdict = verdict(found == text_at(node_, "text"));
  } else if (kind == "shown") {
    result.verdict = "SHOWN";
  } else {
    throw DataError(
        fmt::format("{}: judge {}: points, percent, beside, range, below, holds, same or shown",
                    result.quantity, kind));
  }
  return result;
}

}  // namespace published
