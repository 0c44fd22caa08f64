// Reading SimGrid's time-independent traces.
#include "apps/traces/ti/ti_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "apps/traces/dumpi/bytes.h"
#include "apps/traces/dumpi/text_lines.h"
#include "apps/traces/dumpi/trace_writer.h"
#include "apps/traces/ti/ti_actions.h"
#include "apps/traces/ti/ti_types.h"

namespace ti {
namespace {

constexpr int most_ranks = 1'000'000;
constexpr std::string_view form = "'RANK ACTION ...'";

bool says_nothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

/// A line of a trace begins with a number, and a name follows; a list has a name alone.
bool is_action(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::size_t end = line.find_first_not_of("0123456789", first);
  if (end == first || end == std::string_view::npos || (line[end] != ' ' && line[end] != '\t')) {
    return false;
  }
  return line.find_first_not_of(" \t", end) != std::string_view::npos;
}

int rank_of(Line& line, int ranks) {
  line.set_form(form);
  const std::int32_t rank = line.whole();
  if (rank < 0 || rank >= ranks) {
    line.fail(fmt::format("rank {}: must be 0 to {}", rank, ranks - 1));
  }
  return rank;
}

int count_ranks(const std::string& path, const std::string& text) {
  dumpi::Lines lines(path, text);
  std::vector<bool> has_lines;
  while (lines.next()) {
    if (says_nothing(lines.line())) continue;
    Line line(lines);
    const auto rank = static_cast<std::size_t>(rank_of(line, most_ranks));
    if (rank >= has_lines.size()) has_lines.resize(rank + 1);
    has_lines[rank] = true;
  }
  const auto missing = std::find(has_lines.begin(), has_lines.end(), false);
  if (missing != has_lines.end()) {
    throw std::runtime_error(fmt::format("{}: no line of rank {}: must have some of ranks 0 to {}",
                                         path, missing - has_lines.begin(), has_lines.size() - 1));
  }
  return static_cast<int>(has_lines.size());
}

std::string listed(const std::string& list, std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  const std::string name(line.substr(first, line.find_last_not_of(" \t") - first + 1));
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) return name;
  const std::filesystem::path beside = std::filesystem::path(list).parent_path() / name;
  return std::filesystem::is_regular_file(beside, error) ? beside.string() : "";
}

}  // namespace

Files find_files(const std::string& path) {
  const std::string text = dumpi::contents_of_file(path);
  dumpi::Lines lines(path, text);
  Files files;
  while (lines.next()) {
    if (says_nothing(lines.line())) continue;
    if (files.paths.empty() && is_action(lines.line())) {
      return {count_ranks(path, text), true, {path}};
    }
    const std::string name = listed(path, lines.line());
    if (name.empty()) lines.must_be("a file of one rank's trace, or 'RANK ACTION ...'");
    if (++files.ranks > most_ranks) lines.fail("more than 1000000 files");
    files.paths.push_back(name);
  }
  if (files.ranks == 0) lines.must_be("a file of one rank's trace, or 'RANK ACTION ...'");
  return files;
}

dumpi::RankTrace parse_rank(const std::string& name, const std::string& text, int rank, int ranks,
                            bool is_merged, double speed) {
  if (!(speed > 0) || !std::isfinite(speed)) {
    throw std::runtime_error(
        fmt::format("{}: a speed of {} flop/s: must be more than 0", name, speed));
  }
  dumpi::Lines lines(name, text);
  Actions actions(rank, ranks, speed);
  while (lines.next()) {
    if (says_nothing(lines.line())) continue;
    Line line(lines);
    const int own = rank_of(line, ranks);
    if (own == rank) {
      actions.read(line);
    } else if (!is_merged) {
      lines.fail(fmt::format("rank {}: must be {}, whose file this is", own, rank));
    }
  }
  const std::vector<dumpi::Call> calls = actions.take();
  if (calls.empty()) {
    throw std::runtime_error(fmt::format("{}: no calls of rank {}: must have some", name, rank));
  }
  dumpi::Sections sections;
  sections.type_sizes = type_sizes();
  return dumpi::trace_of(name, calls, sections);
}

dumpi::RankTrace read_rank(const Files& files, int rank, double speed) {
  const std::size_t place = files.is_merged ? 0 : static_cast<std::size_t>(rank);
  const std::string& path = files.paths.at(place);
  return parse_rank(path, dumpi::contents_of_file(path), rank, files.ranks, files.is_merged, speed);
}

}  // namespace ti
