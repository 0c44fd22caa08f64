// Figures of a run's profile, as `aprun --profile FILE` writes it.
#include "benchmarks/published/profile_reading.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <vector>

#include "benchmarks/published/source.h"
#include "benchmarks/published/values.h"

namespace published {
namespace {

/// The part of a node that a word of a path names; null without one.
const Json* part_of(const Json& node, const std::string& word) {
  if (node.is_object()) {
    const auto found = node.find(word);
    return found == node.end() ? nullptr : &*found;
  }
  if (!node.is_array()) return nullptr;
  for (const Json& each : node) {
    if (each.is_object() && each.value("name", "") == word) return &each;
  }
  return nullptr;
}

std::uint64_t border(const std::string& sizes, const std::string& size) {
  const std::string bytes = bytes_of(size);
  const bool whole = bytes.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t number = whole ? std::strtoull(bytes.c_str(), nullptr, 10) : 0;
  if (!whole || (number != 0 && !std::has_single_bit(number))) {
    throw DataError(
        fmt::format("messages: {}: {} is no border of a class: 0, 1, 2, 4, 8, ...", sizes, size));
  }
  return number;
}

}  // namespace

double figure_at(const Json& profile, const std::string& path) {
  const Json* node = &profile;
  std::istringstream words(path);
  std::string word;
  if (!path.starts_with('/')) throw DataError(fmt::format("profile: {}: no / at its begin", path));
  words.get();
  while (node != nullptr && std::getline(words, word, '/')) node = part_of(*node, word);
  if (node == nullptr) throw DataError(fmt::format("profile: {}: no {}", path, word));
  if (!node->is_number()) throw DataError(fmt::format("profile: {}: no number", path));
  return *node;
}

double messages_of(const Json& profile, const std::string& sizes, const std::string& kind) {
  std::istringstream words(sizes);
  std::string from, to, more;
  words >> from >> to >> more;
  if (from.empty() || !more.empty()) {
    throw DataError(fmt::format("messages: {}: must be \"FROM TO\" or \"FROM\"", sizes));
  }
  const std::uint64_t least = border(sizes, from);
  const std::uint64_t end =
      to.empty() ? std::numeric_limits<std::uint64_t>::max() : border(sizes, to);
  const Json& kinds = profile.at("sizes");
  if (!kind.empty() && !kinds.contains(kind)) {
    throw DataError(fmt::format("kind: {}: point to point, collective or one-sided", kind));
  }
  double messages = 0;
  for (const auto& [name, classes] : kinds.items()) {
    if (!kind.empty() && name != kind) continue;
    for (const Json& each : classes) {
      const std::uint64_t begin = each.at(0);
      if (begin >= least && begin < end) messages += each.at(1).get<double>();
    }
  }
  return messages;
}

}  // namespace published
