// Which algorithm a collective takes: the first rule that fits, of the user's and then of ours.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netmod {

enum class Algorithm : std::uint8_t {
  two_level,
  binomial,
  bruck,
  chain,
  dissemination,
  halving,
  halving_doubling,
  linear,
  pairwise,
  recursive_doubling,
  reduce_scatterv,
  ring,
  scatter_gather,
  scatter_ring,
};

/// A collective that there is more than one way for, as rules name it.
enum class CollectiveKind : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  gather,
  scatter,
  allgather,
  alltoall,
  alltoallv,
};

/// Among whom: all of a communicator in one level, or of two levels the one within a node or the
/// one between the nodes' leaders.
enum class Scope : std::uint8_t { all, node, leaders };

/// What rules are asked; the same on all ranks that take part.
struct Question {
  CollectiveKind collective;
  Scope scope;
  int ranks;  ///< that take part
  /// Packed: of the vector (bcast, reductions), of one rank's part (gather, scatter, alltoall), of
  /// all parts (allgather); 0 where ranks cannot know what others have (barrier, alltoallv).
  std::int64_t bytes;
  // What an algorithm may need.
  bool two_levels = false;  ///< the ranks are on several nodes, and may be taken in two levels
  bool commutes = true;     ///< a reduction's operation does
  bool splits = true;       ///< a reduction's vector may be cut into parts
};

struct Rule {
  struct Range {
    std::int64_t from = 0;
    std::int64_t to = std::numeric_limits<std::int64_t>::max();
    bool holds(std::int64_t value) const { return from <= value && value <= to; }
  };

  CollectiveKind collective = CollectiveKind::barrier;
  Algorithm algorithm = Algorithm::binomial;
  bool any_scope = true;
  Scope scope = Scope::all;  ///< unless any_scope
  Range ranks;
  Range bytes;

  bool fits(const Question& question) const {
    return collective == question.collective && (any_scope || scope == question.scope) &&
           ranks.holds(question.ranks) && bytes.holds(question.bytes);
  }
  /// What the algorithm needs is there.
  bool can_be_followed(const Question& question) const;
};

/// The rules of CASTOR_COLLECTIVES: "COLLECTIVE ALGORITHM [in=all|node|leaders] [ranks=A..B]
/// [bytes=A..B]", separated by semicolons; A, B or both may be left out, sizes may end in K or M.
/// Throws std::invalid_argument with one line about the first that is none.
std::vector<Rule> parse_rules(std::string_view text);

/// Ours; the last one of each collective fits every question, and can be followed.
std::span<const Rule> default_rules();

/// A rule in the words that parse_rules() reads.
std::string words(const Rule& rule);

/// The algorithm of the first rule that fits and can be followed: of `own`, then of ours.
Algorithm choose(std::span<const Rule> own, const Question& question);

}  // namespace netmod
