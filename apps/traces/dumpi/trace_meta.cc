// PREFIX.meta and the files of the ranks.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include "apps/traces/dumpi/bytes.h"
#include "apps/traces/dumpi/trace_file.h"

namespace dumpi {
namespace {

constexpr std::string_view ending = ".meta";
constexpr std::uint64_t most_ranks = 1'000'000;
constexpr std::size_t most_named = 8;

/// The lines "key=value" of a file.
class Keys {
 public:
  explicit Keys(std::string path) : path_(std::move(path)) {
    std::istringstream lines(contents_of_file(path_));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      const std::size_t equals = line.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail(fmt::format("line {}: must be key=value", number));
      }
      const std::string key = line.substr(0, equals);
      if (!values_.emplace(key, line.substr(equals + 1)).second) {
        fail(fmt::format("line {}: {} a second time", number, key));
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("{}: {}", path_, what));
  }

  /// The value of a key, or nothing.
  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }

  std::uint64_t number(const std::string& key, std::uint64_t least, std::uint64_t most) const {
    const std::string value = text(key);
    std::uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [parsed, error] = std::from_chars(value.data(), end, number);
    if (error == std::errc() && parsed == end && number >= least && number <= most) return number;
    fail(fmt::format("{} '{}': must be a number from {} to {}", key, value, least, most));
  }

  bool has(const std::string& key) const { return values_.count(key) != 0; }

 private:
  std::string path_;
  std::map<std::string, std::string> values_;
};

}  // namespace

Meta read_meta(const std::string& path) {
  Meta meta;
  meta.prefix = path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path;
  const Keys keys(meta.prefix + std::string(ending));
  meta.ranks = static_cast<int>(keys.number("numprocs", 1, most_ranks));
  meta.host = keys.text("hostname");
  meta.user = keys.text("username");
  if (keys.has("startime")) {
    meta.start = keys.number("startime", 0, std::numeric_limits<std::uint64_t>::max());
  }
  if (keys.has("version")) {
    meta.version.major_number = static_cast<std::uint8_t>(keys.number("version", 0, 1));
    const std::uint64_t newest_minor = meta.version.major_number == 1 ? 1 : 255;
    meta.version.minor_number =
        static_cast<std::uint8_t>(keys.number("subversion", 0, newest_minor));
    meta.version.patch = static_cast<std::uint8_t>(keys.number("subsubversion", 0, 255));
  }
  return meta;
}

std::string rank_path(const Meta& meta, int rank) {
  const std::string path = fmt::format("{}-{:04}", meta.prefix, rank);
  std::error_code ignored;
  const bool is_text = !std::filesystem::exists(path + ".bin", ignored) &&
                       std::filesystem::exists(path + ".txt", ignored);
  return path + (is_text ? ".txt" : ".bin");
}

std::vector<int> absent_ranks(const Meta& meta) {
  std::vector<int> absent;
  std::error_code ignored;
  for (int rank = 0; rank < meta.ranks; ++rank) {
    if (!std::filesystem::exists(rank_path(meta, rank), ignored)) absent.push_back(rank);
  }
  return absent;
}

void check_all_present(const Meta& meta) {
  const std::vector<int> absent = absent_ranks(meta);
  if (absent.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < absent.size() && i < most_named; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", absent[i]);
  }
  if (absent.size() > most_named) names += fmt::format(" and {} more", absent.size() - most_named);
  throw std::runtime_error(fmt::format(
      "{}{}: no file of rank{} {} (the first would be {}); must have all {}", meta.prefix, ending,
      absent.size() > 1 ? "s" : "", names, rank_path(meta, absent.front()), meta.ranks));
}

}  // namespace dumpi
