// Which of many names a mistyped one is nearest to.
#include "corespec/config/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace corespec {
namespace {

/// Row by row: what it takes to make the first characters of `text`, up to each of them, of the
/// first characters of `word`. `row` begins as what it takes to make them of nothing.
void last_row(std::string_view word, std::string_view text, std::vector<std::size_t>& row) {
  for (const char letter : word) {
    std::size_t before = row.front()++;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t replaced = before + (letter == text[i] ? 0 : 1);
      before = row[i + 1];
      row[i + 1] = std::min({replaced, row[i] + 1, row[i + 1] + 1});
    }
  }
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  last_row(from, to, row);
  return row.back();
}

std::size_t edit_distance_to_part(std::string_view word, std::string_view text) {
  std::vector<std::size_t> row(text.size() + 1, 0);  // the part may begin anywhere, and end
  last_row(word, text, row);
  return *std::min_element(row.begin(), row.end());
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t part_that_may_differ = 3;
  std::string nearest;
  std::size_t least = name.size() / part_that_may_differ + 1;
  for (const std::string& each : names) {
    const std::size_t distance = edit_distance(name, each);
    if (distance >= least) continue;
    least = distance;
    nearest = each;
  }
  return nearest;
}

}  // namespace corespec
