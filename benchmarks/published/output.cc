// Prints comparisons as text, CSV or JSON.
#include "benchmarks/published/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace published {
namespace {

using Column = std::pair<const char*, std::string Result::*>;
constexpr std::array<Column, 7> columns{{{"quantity", &Result::quantity},
                                         {"published", &Result::published},
                                         {"ours", &Result::ours},
                                         {"deviation", &Result::deviation},
                                         {"verdict", &Result::verdict},
                                         {"setup", &Result::setup},
                                         {"command", &Result::command}}};

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string as_text(const Judged& row) {
  std::string text = fmt::format("\n{} (--row {})\n", row.figure->title, row.figure->row);
  std::string setup;
  for (const Result& each : row.results) {
    if (each.setup != setup && !each.setup.empty()) {
      setup = each.setup;
      text += fmt::format("  [{}]\n", setup);
    }
    const std::string said =
        each.published.empty() ? "" : fmt::format("published: {}; ", each.published);
    const std::string off =
        each.deviation.empty() || each.deviation == "0" ? "" : fmt::format(" ({})", each.deviation);
    text += fmt::format("  {:<8} {}\n           {}ours: {}{}\n", each.verdict, each.quantity, said,
                        each.ours, off);
  }
  return text;
}

std::string csv_head() {
  std::string line = "row";
  for (const auto& [name, member] : columns) line += fmt::format(",{}", name);
  return line + "\n";
}

std::string as_csv(const Judged& row) {
  std::string text;
  for (const Result& each : row.results) {
    text += row.figure->row;
    for (const auto& [name, member] : columns) text += "," + quoted(each.*member);
    text += "\n";
  }
  return text;
}

std::string as_json(const std::vector<Judged>& rows, const Runs& runs) {
  Json all{{"published", Json::array()}, {"figures", Json::array()}};
  for (const Judged& row : rows) {
    const Figure& figure = *row.figure;
    for (const Result& each : row.results) {
      Json line{{"row", figure.row}};
      for (const auto& [name, member] : columns) line[name] = each.*member;
      all["published"].push_back(std::move(line));
    }
    Json drawn{{"row", figure.row},
               {"title", figure.title},
               {"source", figure.source},
               {"says", figure.says},
               {"charts", Json::array()}};
    for (const Picture& chart : figure.charts) drawn["charts"].push_back(chart.drawn(runs));
    all["figures"].push_back(std::move(drawn));
  }
  return all.dump(1) + "\n";
}

std::string summary(const std::vector<Judged>& rows) {
  const auto count = [&](const std::string& verdict) {
    std::ptrdiff_t all = 0;
    for (const Judged& row : rows) {
      all += std::count_if(row.results.begin(), row.results.end(),
                           [&](const Result& each) { return each.verdict == verdict; });
    }
    return all;
  };
  const std::ptrdiff_t pass = count("PASS"), outside = count("OUTSIDE");
  return fmt::format("published: {} comparisons: {} PASS, {} OUTSIDE; {} SHOWN\n", pass + outside,
                     pass, outside, count("SHOWN"));
}

}  // namespace published
