// --env-help: the environment variables, all or those that words choose.
#include "launch/description/environment_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "corespec/config/nearest_name.h"
#include "corespec/config/parameters.h"
#include "launch/description/options.h"

namespace launch {
namespace {

/// In small letters, whatever the locale.
std::string small(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

bool has_all(const corespec::ParameterInfo& row, const std::vector<std::string>& words) {
  const std::string text = small(row.env + "\n" + row.unit + "\n" + row.help);
  return std::all_of(words.begin(), words.end(), [&text](const std::string& word) {
    return text.find(small(word)) != std::string::npos;
  });
}

/// The names that come nearest to having `words`, up to three of them.
std::vector<std::string> near_names(const std::vector<corespec::ParameterInfo>& rows,
                                    const std::vector<std::string>& words) {
  constexpr std::size_t most = 3;
  constexpr std::size_t part_that_may_differ = 3;
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const corespec::ParameterInfo& row : rows) {
    std::size_t distance = 0, letters = 0;
    for (const std::string& word : words) {
      distance += corespec::edit_distance_to_part(small(word), small(row.env));
      letters += word.size();
    }
    if (distance <= letters / part_that_may_differ) names.emplace_back(distance, row.env);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) nearest.push_back(names[i].second);
  return nearest;
}

}  // namespace

std::string environment_help(const std::vector<std::string>& words) {
  const std::vector<corespec::ParameterInfo> rows = corespec::describe(corespec::Parameters());
  std::string text, group;
  for (const corespec::ParameterInfo& row : rows) {
    if (!has_all(row, words)) continue;
    if (row.group != group) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", row.group);
    group = row.group;
    text += fmt::format("  {:<34} {}\n  {:<34} default {}{}{}; allowed: {}; {}{}{}\n", row.env,
                        row.help, "", row.fallback, row.unit.empty() ? "" : " ", row.unit,
                        row.allowed, row.basis, row.source.empty() ? "" : ": ", row.source);
  }
  if (!text.empty()) return text;
  const std::vector<std::string> near = near_names(rows, words);
  throw UsageError(
      fmt::format("--env-help '{}': no variable has {} in its name, unit or description{}{}",
                  fmt::join(words, "' '"), words.size() == 1 ? "this" : "these",
                  near.empty() ? "" : "; near: ", fmt::join(near, ", ")));
}

}  // namespace launch
