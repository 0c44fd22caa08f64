// The rules' words and their table.
#include "netmod/mpi/collectives/rules/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>

namespace netmod {
namespace {

using enum Algorithm;
using enum CollectiveKind;

constexpr std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case two_level:
      return "two_level";
    case binomial:
      return "binomial";
    case bruck:
      return "bruck";
    case chain:
      return "chain";
    case dissemination:
      return "dissemination";
    case halving:
      return "halving";
    case halving_doubling:
      return "halving_doubling";
    case linear:
      return "linear";
    case pairwise:
      return "pairwise";
    case recursive_doubling:
      return "recursive_doubling";
    case reduce_scatterv:
      return "reduce_scatterv";
    case ring:
      return "ring";
    case scatter_gather:
      return "scatter_gather";
    case scatter_ring:
      return "scatter_ring";
  }
  return {};
}

/// What each collective carries out; the functions of its name do so.
constexpr Algorithm of_barrier[] = {two_level, dissemination, binomial};
constexpr Algorithm of_bcast[] = {two_level, binomial, scatter_ring, chain};
constexpr Algorithm of_reduce[] = {two_level, binomial, scatter_gather};
constexpr Algorithm of_allreduce[] = {two_level, recursive_doubling, halving_doubling, ring};
constexpr Algorithm of_reduce_scatter[] = {halving, pairwise, reduce_scatterv};
constexpr Algorithm of_gather[] = {binomial, linear};
constexpr Algorithm of_scatter[] = {binomial, linear};
constexpr Algorithm of_allgather[] = {recursive_doubling, bruck, ring};
constexpr Algorithm of_alltoall[] = {bruck, linear, pairwise};
constexpr Algorithm of_alltoallv[] = {linear, pairwise};

struct CollectiveAlgorithms {
  CollectiveKind collective;
  std::string_view name;
  std::span<const Algorithm> algorithms;
};
constexpr CollectiveAlgorithms collectives[] = {
    {barrier, "barrier", of_barrier},
    {bcast, "bcast", of_bcast},
    {reduce, "reduce", of_reduce},
    {allreduce, "allreduce", of_allreduce},
    {reduce_scatter, "reduce_scatter", of_reduce_scatter},
    {gather, "gather", of_gather},
    {scatter, "scatter", of_scatter},
    {allgather, "allgather", of_allgather},
    {alltoall, "alltoall", of_alltoall},
    {alltoallv, "alltoallv", of_alltoallv},
};

constexpr std::string_view scope_names[] = {"all", "node", "leaders"};

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kilo = 1024;

// Sizes from which bandwidth counts more than the number of messages are those of MPICH. Large
// broadcasts take one level: one scatter and ring over all ranks copies every byte once, while one
// over leaders is followed by another within nodes.
constexpr Rule table[] = {
    {barrier, two_level, false, Scope::all, {}, {}},
    {barrier, dissemination, true, {}, {}, {}},

    {bcast, two_level, false, Scope::all, {}, {0, 512 * kilo - 1}},
    {bcast, two_level, false, Scope::all, {0, 7}, {}},
    {bcast, scatter_ring, true, {}, {8, any}, {12 * kilo, any}},
    {bcast, binomial, true, {}, {}, {}},

    {reduce, two_level, false, Scope::all, {}, {}},
    {reduce, scatter_gather, true, {}, {}, {2 * kilo + 1, any}},
    {reduce, binomial, true, {}, {}, {}},

    {allreduce, two_level, false, Scope::all, {}, {}},
    {allreduce, halving_doubling, true, {}, {}, {2 * kilo + 1, any}},
    {allreduce, recursive_doubling, true, {}, {}, {}},

    {reduce_scatter, halving, true, {}, {}, {0, 512 * kilo - 1}},
    {reduce_scatter, pairwise, true, {}, {}, {}},
    {reduce_scatter, reduce_scatterv, true, {}, {}, {}},

    {gather, binomial, true, {}, {}, {}},
    {scatter, binomial, true, {}, {}, {}},

    {allgather, recursive_doubling, true, {}, {}, {0, 512 * kilo - 1}},
    {allgather, bruck, true, {}, {}, {0, 80 * kilo}},
    {allgather, ring, true, {}, {}, {}},

    {alltoall, bruck, true, {}, {8, any}, {0, 256}},
    {alltoall, linear, true, {}, {}, {0, 32 * kilo}},
    {alltoall, pairwise, true, {}, {}, {}},
    {alltoallv, linear, true, {}, {}, {}},
};

/// Each rule names an algorithm that its collective carries out.
constexpr bool holds_together() {
  return std::all_of(std::begin(table), std::end(table), [](const Rule& rule) {
    return std::any_of(std::begin(collectives), std::end(collectives), [&](const auto& each) {
      return each.collective == rule.collective &&
             std::find(each.algorithms.begin(), each.algorithms.end(), rule.algorithm) !=
                 each.algorithms.end();
    });
  });
}
static_assert(holds_together());

[[noreturn]] void refuse(std::string_view rule, const std::string& why) {
  throw std::invalid_argument(fmt::format("rule \"{}\": {}", rule, why));
}

std::string names_of(const CollectiveAlgorithms& collective) {
  std::string names;
  for (const Algorithm algorithm : collective.algorithms) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(algorithm));
  }
  return names;
}

const CollectiveAlgorithms& collective_named(std::string_view name, std::string_view rule) {
  std::string known;
  for (const CollectiveAlgorithms& collective : collectives) {
    if (collective.name == name) return collective;
    known += (known.empty() ? "" : ", ") + std::string(collective.name);
  }
  refuse(rule, fmt::format("\"{}\" is none of the collectives {}", name, known));
}

Algorithm algorithm_named(const CollectiveAlgorithms& collective, std::string_view name,
                          std::string_view rule) {
  for (Algorithm algorithm : collective.algorithms) {
    if (name_of(algorithm) == name) return algorithm;
  }
  refuse(rule, fmt::format("\"{}\" is no algorithm of {}: {}", name, collective.name,
                           names_of(collective)));
}

std::int64_t number(std::string_view text, std::string_view rule) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::int64_t unit = 1;
  if (end - rest == 1 && (*rest == 'K' || *rest == 'M')) unit = *rest == 'K' ? kilo : kilo * kilo;
  if (error != std::errc() || (rest != end && unit == 1) || value < 0 || value > any / unit) {
    refuse(rule, fmt::format("\"{}\" is not a number, as 8, 64K or 1M", text));
  }
  return value * unit;
}

Rule::Range range(std::string_view text, std::string_view rule) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const std::int64_t value = number(text, rule);
    return {value, value};
  }
  Rule::Range read;
  if (dots > 0) read.from = number(text.substr(0, dots), rule);
  if (dots + 2 < text.size()) read.to = number(text.substr(dots + 2), rule);
  if (read.from > read.to) refuse(rule, fmt::format("nothing is in \"{}\"", text));
  return read;
}

void read_condition(Rule& made, std::string_view word, std::string_view rule) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (key == "ranks") {
    made.ranks = range(value, rule);
  } else if (key == "bytes") {
    made.bytes = range(value, rule);
  } else if (key == "in") {
    const auto* found = std::find(std::begin(scope_names), std::end(scope_names), value);
    if (found == std::end(scope_names)) {
      refuse(rule, fmt::format("in=\"{}\": all, node or leaders", value));
    }
    made.any_scope = false;
    made.scope = static_cast<Scope>(found - std::begin(scope_names));
  } else {
    refuse(rule, fmt::format("\"{}\" is none of in=, ranks= and bytes=", word));
  }
}

/// Takes the next word off the front of `rest`; empty at the end.
std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view blank = " \t\n";
  const std::size_t begin = rest.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(rest.find_first_of(blank, begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::string range_words(std::string_view key, const Rule::Range& range) {
  if (range.from == 0 && range.to == any) return {};
  std::string text = fmt::format(" {}=", key);
  if (range.from != 0) text += std::to_string(range.from);
  text += "..";
  if (range.to != any) text += std::to_string(range.to);
  return text;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text) {
  std::vector<Rule> rules;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view rule = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view rest = rule;
    const std::string_view name = next_word(rest);
    if (name.empty()) continue;
    const CollectiveAlgorithms& collective = collective_named(name, rule);
    Rule made;
    made.collective = collective.collective;
    made.algorithm = algorithm_named(collective, next_word(rest), rule);
    for (auto word = next_word(rest); !word.empty(); word = next_word(rest)) {
      read_condition(made, word, rule);
    }
    rules.push_back(made);
  }
  return rules;
}

std::span<const Rule> default_rules() { return table; }

bool Rule::can_be_followed(const Question& question) const {
  switch (algorithm) {
    case two_level:
      return question.two_levels && question.commutes;
    case scatter_gather:
    case halving_doubling:
    case ring:
      return question.splits;
    case halving:
    case pairwise:
      return question.commutes;
    case recursive_doubling:
      return collective != allgather || std::has_single_bit(static_cast<unsigned>(question.ranks));
    case binomial:
    case bruck:
    case chain:
    case dissemination:
    case linear:
    case reduce_scatterv:
    case scatter_ring:
      return true;
  }
  return false;
}

Algorithm choose(std::span<const Rule> own, const Question& question) {
  for (const std::span<const Rule> rules : {own, default_rules()}) {
    for (const Rule& rule : rules) {
      if (rule.fits(question) && rule.can_be_followed(question)) return rule.algorithm;
    }
  }
  return table[std::size(table) - 1].algorithm;  // not reached: see default_rules()
}

std::string words(const Rule& rule) {
  std::string text;
  for (const CollectiveAlgorithms& collective : collectives) {
    if (collective.collective == rule.collective) text = collective.name;
  }
  text += fmt::format(" {}", name_of(rule.algorithm));
  if (!rule.any_scope) {
    text += fmt::format(" in={}", scope_names[static_cast<std::size_t>(rule.scope)]);
  }
  return text + range_words("ranks", rule.ranks) + range_words("bytes", rule.bytes);
}

}  // namespace netmod
