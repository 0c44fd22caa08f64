// Where figures come from: a column of what a run has printed, its counters, its profile, another
// program's lines.
#include "benchmarks/published/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>

#include "benchmarks/published/profile_reading.h"

namespace published {
namespace {

constexpr double phit_bytes = 3;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Without blanks that an empty option has left.
std::string tidied(const std::string& text) {
  std::string out;
  for (const std::string& word : words_of(text)) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::vector<Filter> read_filters(const std::string& text) {
  std::vector<Filter> filters;
  for (const std::string& word : words_of(text)) {
    const std::size_t at = word.find_first_of("!=>");
    if (at == std::string::npos) throw DataError(fmt::format("where: {}: no =, != or >", word));
    const std::size_t length = word[at] == '!' ? 2 : 1;
    filters.push_back({word.substr(0, at), word.substr(at, length), word.substr(at + length)});
  }
  return filters;
}

bool fits(const Filter& filter, const std::string& cell) {
  const double number = std::strtod(cell.c_str(), nullptr);
  const double wanted = std::strtod(filter.value.c_str(), nullptr);
  if (filter.sign == ">") return number > wanted;
  const bool same =
      is_number(cell) && is_number(filter.value) ? number == wanted : cell == filter.value;
  return same == (filter.sign == "=");
}

SourcePart read_part(const Json& node, const Scope& scope) {
  SourcePart part;
  const auto filled = [&](const char* name) { return scope.fill(text_at(node, name)); };
  if (node.contains("lines_of")) {
    part.kind = SourcePart::Kind::lines;
    part.command = filled("lines_of");
    return part;
  }
  const Json& run = node.at("run");
  part.command =
      tidied(fmt::format("aprun {} {} {} --csv", scope.fill(run.at(0)), scope.fill(run.at(1)),
                         run.size() > 2 ? scope.fill(run.at(2)) : ""));
  if (node.value("injected", false)) {
    part.kind = SourcePart::Kind::injected;
  } else if (node.contains("counted")) {
    part.kind = SourcePart::Kind::counted;
    part.column = filled("counted");
    part.message_kind = filled("links");
  } else if (node.contains("statistic")) {
    part.kind = SourcePart::Kind::statistic;
    part.column = filled("statistic");
  } else if (node.contains("profile")) {
    part.kind = SourcePart::Kind::profile;
    part.column = filled("profile");
  } else if (node.contains("says")) {
    part.kind = SourcePart::Kind::says;
    part.column = filled("says");
  } else if (node.contains("telemetry")) {
    part.kind = SourcePart::Kind::telemetry;
    part.column = filled("telemetry");
    part.filters = read_filters(filled("where"));
  } else if (node.contains("messages")) {
    part.kind = SourcePart::Kind::messages;
    part.column = filled("messages");
    part.message_kind = filled("kind");
  } else {
    part.column = filled("column");
    part.filters = read_filters(filled("where"));
    for (const std::string& size : words_of(filled("at"))) part.sizes.push_back(bytes_of(size));
  }
  return part;
}

[[noreturn]] void nothing(const SourcePart& part, const std::string& what) {
  throw DataError(fmt::format("no {} in: {}", what, part.command));
}

std::string cell_text(const CsvTable& table, const std::vector<std::string>& row,
                      const std::string& column) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t open = column.find('<'); open != std::string::npos;
       open = column.find('<', at)) {
    const std::size_t close = std::min(column.find('>', open), column.size());
    text +=
        column.substr(at, open - at) + row[table.column(column.substr(open + 1, close - open - 1))];
    at = close + 1;
  }
  return at == 0 ? row[table.column(column)] : text + column.substr(at);
}

Values of_column(const SourcePart& part, const CsvTable& table, const std::string& column) {
  const auto chosen = [&](const std::vector<std::string>& row) {
    return std::all_of(part.filters.begin(), part.filters.end(), [&](const Filter& filter) {
      return fits(filter, row[table.column(filter.column)]);
    });
  };
  Values values;
  if (part.sizes.empty()) {
    for (const auto& row : table.rows) {
      if (chosen(row)) values.emplace_back(cell_text(table, row, column));
    }
    if (values.empty()) nothing(part, column);
    return values;
  }
  const std::size_t sizes = table.column("msgsize");
  for (const std::string& size : part.sizes) {
    const auto found = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row[sizes] == size && chosen(row);
    });
    if (found == table.rows.end()) nothing(part, fmt::format("{} for {} bytes", column, size));
    values.emplace_back(cell_text(table, *found, column));
  }
  return values;
}

Values of_text(const SourcePart& part, const std::string& errors) {
  const bool says = part.kind == SourcePart::Kind::says;
  const std::regex pattern(says ? part.column : "stats rank 0: .* " + part.column + " ([0-9]+)");
  std::smatch found;
  if (!std::regex_search(errors, found, pattern)) nothing(part, part.column);
  return {Value(found[1].str())};
}

/// A HH line counts the phits that came from a Gemini's own host tiles.
Values of_injected(const SourcePart& part, const std::string& counters) {
  Values values;
  std::istringstream lines(counters);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("HH\t")) continue;
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> numbers;
    while (std::getline(cells, cell, '\t')) numbers.push_back(std::strtod(cell.c_str(), nullptr));
    const double phits = numbers.size() > 4 ? numbers[3] + numbers[4] : 0;
    if (phits > 0) values.emplace_back(phits * phit_bytes);
  }
  if (values.empty()) nothing(part, "host tiles in the counters");
  return values;
}

std::vector<std::string> between_tabs(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
  return cells;
}

/// A Gemini's lines follow that of its coordinates, which has no link; a comment names the columns.
Values of_counted(const SourcePart& part, const std::string& counters) {
  Values values;
  std::optional<std::size_t> column;
  std::istringstream lines(counters);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = between_tabs(line);
    if (line.starts_with('#')) {
      const auto found = std::find(cells.begin(), cells.end(), part.column);
      if (found != cells.end()) column = static_cast<std::size_t>(found - cells.begin());
    } else if (line.starts_with('\t')) {
      values.emplace_back(0.0);
    } else if (line.starts_with(part.message_kind) && !values.empty() && column &&
               *column < cells.size()) {
      values.back().number += std::strtod(cells[*column].c_str(), nullptr);
    }
  }
  if (!column || values.empty()) nothing(part, part.column + " in the counters");
  return values;
}

Values of_profile(const SourcePart& part, const Json& profile) {
  if (profile.is_null()) throw DataError("no --profile FILE among the options of aprun");
  return {Value(part.kind == SourcePart::Kind::profile
                    ? figure_at(profile, part.column)
                    : messages_of(profile, part.column, part.message_kind))};
}

Values of_part(const SourcePart& part, const Runs& runs, const std::string& instead) {
  const Outcome& outcome = runs.of(part.command);
  switch (part.kind) {
    case SourcePart::Kind::statistic:
    case SourcePart::Kind::says:
      return of_text(part, outcome.errors);
    case SourcePart::Kind::injected:
      return of_injected(part, outcome.counters);
    case SourcePart::Kind::counted:
      return of_counted(part, outcome.counters);
    case SourcePart::Kind::lines:
      return {
          Value(std::to_string(std::count(outcome.output.begin(), outcome.output.end(), '\n')))};
    case SourcePart::Kind::profile:
    case SourcePart::Kind::messages:
    case SourcePart::Kind::telemetry:
    case SourcePart::Kind::column:
      break;
  }
  try {
    if (part.kind == SourcePart::Kind::profile || part.kind == SourcePart::Kind::messages) {
      return of_profile(part, outcome.profile);
    }
    if (part.kind == SourcePart::Kind::telemetry) {
      return of_column(part, outcome.telemetry, instead.empty() ? part.column : instead);
    }
    return of_column(part, outcome.table, instead.empty() ? part.column : instead);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", part.command, error.what()));
  }
}

}  // namespace

std::string bytes_of(const std::string& size) {
  std::uint64_t factor = 1;
  if (size.ends_with('K')) factor = 1 << 10;
  if (size.ends_with('M')) factor = 1 << 20;
  return factor == 1 ? size : std::to_string(std::strtoull(size.c_str(), nullptr, 10) * factor);
}

Source read_source(const Json& node, const Json& definitions, const Scope& outer) {
  Json whole = node;
  if (node.contains("like")) {
    const std::string name = node.at("like");
    if (!definitions.contains(name)) throw DataError(fmt::format("like: no definition {}", name));
    whole = definitions.at(name);
    whole.update(node);
  }
  Source source;
  source.average = whole.contains("average_over");
  Json loop = whole;
  if (source.average) loop["for"] = whole["average_over"];
  outer.with(whole).for_each(
      loop, [&](const Scope& scope) { source.parts.push_back(read_part(whole, scope)); });
  return source;
}

Values values_of(const Source& source, const Runs& runs, const std::string& instead) {
  Values all;
  for (const SourcePart& part : source.parts) {
    const Values values = of_part(part, runs, instead);
    if (!source.average || source.parts.size() == 1 || all.empty()) {
      all.insert(all.end(), values.begin(), values.end());
      continue;
    }
    if (values.size() != all.size()) throw DataError("a mean of lists that are not equally long");
    for (std::size_t i = 0; i < all.size(); ++i) all[i].number += values[i].number;
  }
  if (!source.average || source.parts.size() == 1) return all;
  for (Value& value : all) {
    value.text = text_of(Value(value.number / static_cast<double>(source.parts.size())), 3);
    value = Value(value.text);
  }
  return all;
}

}  // namespace published
