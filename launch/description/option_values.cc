// Numbers and lists of numbers on aprun's command line.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "launch/description/options.h"

namespace launch {
namespace {

constexpr int highest_listed = 9999999;
constexpr std::size_t longest_list = 1000000;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr double longest_time = 30.0 * 24 * 3600;

struct TimeUnit {
  std::string_view name;
  double seconds;
};

/// In seconds; none if `text` is no number with one of `units`, or less than `shortest`.
std::optional<double> time_of(const std::string& text, std::span<const TimeUnit> units,
                              double shortest) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const TimeUnit& unit : units) {
    if (error != std::errc() || rest != unit.name) continue;
    const double value = number * unit.seconds;
    if (value >= shortest && value <= longest_time) return value;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t parse_number(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest) {
  const auto value = whole_number(text);
  if (!value || *value < lowest || *value > highest) {
    throw UsageError(fmt::format("{} '{}': must be a whole number from {} to {}", option, text,
                                 lowest, highest));
  }
  return *value;
}

double parse_duration(const std::string& option, const std::string& text) {
  constexpr TimeUnit units[] = {{"", 1},   {"s", 1},    {"ms", 1e-3},
                                {"m", 60}, {"min", 60}, {"h", 3600}};
  if (const auto value = time_of(text, units, 1e-3)) return *value;
  throw UsageError(fmt::format(
      "{} '{}': must be a time from 1ms to 30 days, like 90, 90s, 5m or 2h", option, text));
}

double parse_moment(const std::string& option, const std::string& text) {
  constexpr TimeUnit units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  if (const auto value = time_of(text, units, 0)) return *value;
  throw UsageError(fmt::format("{} '{}': must be a time from 0 to 30 days, like 90, 1.5ms or 20us",
                               option, text));
}

std::vector<int> parse_number_list(const std::string& option, const std::string& text) {
  const auto fail = [&](std::string_view why) -> UsageError {
    return UsageError(fmt::format("{} '{}': {}; must be a list like 0,2,4-7", option, text, why));
  };
  std::vector<int> numbers;
  std::set<int> seen;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dash = part.find('-', 1);
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last > highest_listed) {
      throw fail(fmt::format("'{}' is not a number or range", part));
    }
    if (*last < *first) throw fail(fmt::format("'{}' runs backwards", part));
    if (static_cast<std::size_t>(*last - *first) >= longest_list) throw fail("too long");
    for (std::int64_t number = *first; number <= *last; ++number) {
      if (!seen.insert(static_cast<int>(number)).second) {
        throw fail(fmt::format("{} is there twice", number));
      }
      numbers.push_back(static_cast<int>(number));
    }
    begin = end + 1;
  }
  return numbers;
}

std::vector<std::vector<int>> parse_cpu_lists(const std::string& option, const std::string& text) {
  std::vector<std::vector<int>> lists;
  if (text.find(':') == std::string::npos) {
    for (const int cpu : parse_number_list(option, text)) lists.push_back({cpu});
    return lists;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    lists.push_back(parse_number_list(option, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lists;
}

CpuBinding parse_binding(const std::string& option, const std::string& text,
                         std::vector<std::vector<int>>& lists) {
  constexpr std::array names{
      std::pair{"cpu", CpuBinding::cpu}, std::pair{"depth", CpuBinding::depth},
      std::pair{"numa_node", CpuBinding::numa_node}, std::pair{"none", CpuBinding::none}};
  for (const auto& [name, binding] : names) {
    if (text == name) return binding;
  }
  if (text.find_first_not_of("0123456789,-:") != std::string::npos) {
    throw UsageError(fmt::format(
        "{} '{}': must be cpu, depth, numa_node, none, a list of CPUs like 0,2,4-7 (one for each "
        "rank of a node) or lists like 0,1:2,3",
        option, text));
  }
  lists = parse_cpu_lists(option, text);
  return CpuBinding::list;
}

}  // namespace launch
