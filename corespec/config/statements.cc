// Statements, word by word.
#include "corespec/config/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "corespec/config/units.h"

namespace corespec {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::uintmax_t most_bytes = 16 << 20;
/// Several of them together are still a Time.
constexpr double longest_ns = 1e15;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

void add_statement(std::string_view text, const std::string& where,
                   std::vector<Statement>& statements) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return;
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw std::invalid_argument(fmt::format("{}: {}: \"{}\" is not of the form KEY=VALUE", where,
                                              words.front(), words[i]));
    }
    std::string key(words[i].substr(0, equals));
    const bool twice = std::any_of(values.begin(), values.end(),
                                   [&](const auto& value) { return value.first == key; });
    if (twice) {
      throw std::invalid_argument(fmt::format("{}: {}: {} is there twice", where, words[0], key));
    }
    values.emplace_back(std::move(key), words[i].substr(equals + 1));
  }
  statements.emplace_back(where, std::string(words.front()), std::move(values));
}

}  // namespace

std::optional<std::string> Statement::text(std::string_view key) {
  asked_.emplace_back(key);
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [key](const auto& value) { return value.first == key; });
  if (found == values_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  values_.erase(found);
  return value;
}

std::optional<std::int64_t> Statement::number(std::string_view key, std::int64_t lowest,
                                              std::int64_t highest) {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  std::int64_t value = 0;
  const char* const last = given->data() + given->size();
  const auto [end, error] = std::from_chars(given->data(), last, value);
  if (error != std::errc() || end != last || value < lowest || value > highest) {
    refuse(fmt::format("{}={}: a number from {} to {} is allowed", key, *given, lowest, highest));
  }
  return value;
}

std::optional<double> Statement::real(std::string_view key, double lowest, double highest) {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  double value = 0;
  const char* const last = given->data() + given->size();
  const auto [end, error] = std::from_chars(given->data(), last, value);
  // Also false of what is no number.
  const bool is_allowed = value >= lowest && value <= highest;
  if (error != std::errc() || end != last || !is_allowed) {
    refuse(fmt::format("{}={}: a number from {} to {} is allowed", key, *given, lowest, highest));
  }
  return value;
}

std::optional<Time> Statement::time(std::string_view key) {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  const std::optional<double> ns = parse_with_unit(*given, time_units, std::nullopt);
  if (!ns || *ns < 0 || *ns > longest_ns) {
    refuse(fmt::format(
        "{}={}: a time from 0 to 1,000,000 s is allowed, with its unit: 250ns, 1.5us, 9ms, 2s", key,
        *given));
  }
  return Time::nanoseconds(*ns);
}

void Statement::end() const {
  if (values_.empty()) return;
  refuse(fmt::format("{} is not known here; known are {}", values_.front().first,
                     fmt::join(asked_, ", ")));
}

void Statement::refuse(const std::string& what) const {
  throw std::invalid_argument(fmt::format("{}: {}: {}", where_, name_, what));
}

std::vector<Statement> parse_statements(std::string_view text, const std::string& origin) {
  std::vector<Statement> statements;
  const bool many_lines = text.find('\n') != std::string_view::npos;
  for (unsigned line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    rest = rest.substr(0, rest.find('#'));
    const std::string where = many_lines ? fmt::format("{}:{}", origin, line) : origin;
    while (!rest.empty()) {
      const std::size_t stop = std::min(rest.find(';'), rest.size());
      add_statement(rest.substr(0, stop), where, statements);
      rest.remove_prefix(std::min(stop + 1, rest.size()));
    }
  }
  return statements;
}

std::vector<Statement> read_statements(const std::string& setting, const std::string& value,
                                       const std::vector<std::string_view>& names) {
  if (value.find('=') != std::string::npos) return parse_statements(value, setting);
  std::ifstream file(value, std::ios::binary);
  std::error_code ignored;
  const bool is_file = file && !std::filesystem::is_directory(value, ignored);
  const std::string_view first = std::string_view(value).substr(0, value.find_first_of("; \t\n"));
  const bool is_name = std::find(names.begin(), names.end(), first) != names.end();
  if (!is_file && is_name) return parse_statements(value, setting);
  if (!is_file) {
    throw std::invalid_argument(fmt::format(
        "{}={}: statements with KEY=VALUE are allowed, or the name of a file of them; this file "
        "cannot be read",
        setting, value));
  }
  std::string text;
  for (std::istreambuf_iterator<char> at(file), end; at != end && text.size() <= most_bytes; ++at) {
    text.push_back(*at);
  }
  if (text.size() > most_bytes) {
    throw std::invalid_argument(fmt::format("{}: {}: more than 16 MB", setting, value));
  }
  // Lines count from the first one even if there is only one.
  if (text.empty() || text.back() != '\n') text.push_back('\n');
  return parse_statements(text, value);
}

}  // namespace corespec
