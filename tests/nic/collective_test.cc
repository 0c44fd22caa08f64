// Collective engines: what each command makes of random values on a tree of several nodes.
#include <algorithm>
#include <functional>
#include <random>

#include "tests/nic/collective_tree.h"

namespace nic_test {
namespace {

using Values = std::vector<Operands>;

template <typename Real>
std::uint64_t bits_of(Real value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename Value>
Value value_of(std::uint64_t bits) {
  Value value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A command in its two widths, random operands for it, and what it is to give.
struct Command {
  const char* name;
  gni_ce_cmd_type_t command;
  bool half;     ///< values of 32 bits
  bool indexed;  ///< the second operand is an index
  std::function<std::uint64_t(std::mt19937_64&)> draw;
  std::function<Operands(const Values&)> expected;
};

/// `combine` over both operands.
template <typename Word>
std::function<Operands(const Values&)> folded(std::function<Word(Word, Word)> combine) {
  return [combine](const Values& values) {
    Word first = value_of<Word>(values[0].first);
    Word second = value_of<Word>(values[0].second);
    for (std::size_t i = 1; i < values.size(); ++i) {
      first = combine(first, value_of<Word>(values[i].first));
      second = combine(second, value_of<Word>(values[i].second));
    }
    return Operands{bits_of(first), bits_of(second)};
  };
}

/// The best value, and of the participants with it the lowest or the greatest index.
template <typename Value, typename Index>
std::function<Operands(const Values&)> best(bool maximum, bool greatest) {
  return [maximum, greatest](const Values& values) {
    std::vector<Value> all;
    for (const Operands& each : values) all.push_back(value_of<Value>(each.first));
    const Value found = maximum ? *std::max_element(all.begin(), all.end())
                                : *std::min_element(all.begin(), all.end());
    std::vector<Index> with_it;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == found) with_it.push_back(value_of<Index>(values[i].second));
    }
    const Index index = greatest ? *std::max_element(with_it.begin(), with_it.end())
                                 : *std::min_element(with_it.begin(), with_it.end());
    return Operands{bits_of(found), bits_of(index)};
  };
}

std::uint64_t any_bits(std::mt19937_64& random) { return random(); }
/// Some values are equal.
template <typename Integer>
std::uint64_t few_integers(std::mt19937_64& random) {
  return bits_of(static_cast<Integer>(static_cast<Integer>(random() % 9) - 4));
}
template <typename Real>
std::uint64_t few_reals(std::mt19937_64& random) {
  return bits_of(static_cast<Real>(static_cast<int>(random() % 9) - 4) / 3);
}
/// Their sums are exact, in whatever order.
template <typename Real>
std::uint64_t eighths(std::mt19937_64& random) {
  return bits_of(static_cast<Real>(static_cast<int>(random() % 20001) - 10000) / 8);
}

#define INDEXED(name, suffix, half, Value, Index, draw, maximum, greatest)    \
  {                                                                           \
#name #suffix, GNI_FMA_CE_##name##suffix, half, true, draw, best < Value, \
        Index>(maximum, greatest)                                             \
  }
#define EXTREMES(suffix, half, Integer, Real, Index)                                        \
  INDEXED(IMIN_LIDX, suffix, half, Integer, Index, few_integers<Integer>, false, false),    \
      INDEXED(IMAX_LIDX, suffix, half, Integer, Index, few_integers<Integer>, true, false), \
      INDEXED(IMIN_GIDX, suffix, half, Integer, Index, few_integers<Integer>, false, true), \
      INDEXED(IMAX_GIDX, suffix, half, Integer, Index, few_integers<Integer>, true, true),  \
      INDEXED(FPMIN_LIDX, suffix, half, Real, Index, few_reals<Real>, false, false),        \
      INDEXED(FPMAX_LIDX, suffix, half, Real, Index, few_reals<Real>, true, false),         \
      INDEXED(FPMIN_GIDX, suffix, half, Real, Index, few_reals<Real>, false, true),         \
      INDEXED(FPMAX_GIDX, suffix, half, Real, Index, few_reals<Real>, true, true)
#define FOLDED(name, suffix, half, Word, draw, expression)                \
  {                                                                       \
#name #suffix, GNI_FMA_CE_##name##suffix, half, false, draw,          \
        folded < Word>([](Word a, Word b) -> Word { return expression; }) \
  }
#define FOLDS(suffix, half, Word, Real)                  \
  FOLDED(AND, suffix, half, Word, any_bits, a& b),       \
      FOLDED(OR, suffix, half, Word, any_bits, a | b),   \
      FOLDED(XOR, suffix, half, Word, any_bits, a ^ b),  \
      FOLDED(IADD, suffix, half, Word, any_bits, a + b), \
      FOLDED(FPADD, suffix, half, Real, eighths<Real>, a + b)

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {FOLDS(, false, std::uint64_t, double),
                                           FOLDS(_S, true, std::uint32_t, float),
                                           EXTREMES(, false, std::int64_t, double, std::uint64_t),
                                           EXTREMES(_S, true, std::int32_t, float, std::uint32_t)};
  return all;
}

constexpr int tree_nodes = 6;
constexpr int per_node = 3;

/// What each participant contributes. Of values of 32 bits the upper half is anything.
Values draw(const Command& command, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values(tree_nodes * per_node);
  for (Operands& each : values) {
    each.first = command.draw(random);
    each.second = command.indexed ? random() % 1000 : command.draw(random);
    if (!command.half) continue;
    each.first = (each.first & 0xFFFFFFFF) | random() << 32;
    each.second = (each.second & 0xFFFFFFFF) | random() << 32;
  }
  return values;
}

/// Of all commands, with one operand and with two, the results at every participant.
TEST(Collective, EveryCommandOnATree) {
  ASSERT_EQ(26U, commands().size());
  CollectiveTree tree(tree_nodes, per_node, 2);
  tree.run([](int node, TreeNode& own, Meeting&) {
    std::uint64_t reduction = 1000;
    for (const Command& command : commands()) {
      for (const bool two : {true, false}) {
        const Values values = draw(command, ++reduction);
        Operands expected = command.expected(values);
        if (!two && !command.indexed) expected.second = 0;
        const std::uint32_t mode = two ? GNI_CEMODE_TWO_OP : 0;
        std::vector<gni_post_descriptor_t> posts;
        for (std::size_t i = 0; i < own.participants.size(); ++i) {
          const auto number = static_cast<std::size_t>(node * per_node) + i;
          posts.push_back(
              own.participants[i]->descriptor(command.command, reduction, values[number], 0, mode));
        }
        for (std::size_t i = 0; i < posts.size(); ++i) {
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(own.participants[i]->side.ep, &posts[i]));
        }
        for (std::size_t i = 0; i < posts.size(); ++i) {
          const Participant& participant = *own.participants[i];
          EXPECT_EQ(GNI_RC_SUCCESS, complete(participant.side, posts[i]));
          EXPECT_EQ(GNI_RC_SUCCESS, participant.result()) << command.name;
          EXPECT_EQ(expected.first, participant.results->result1) << command.name << two;
          EXPECT_EQ(expected.second, participant.results->result2) << command.name << two;
          EXPECT_EQ(reduction, GNI_CE_RES_GET_RED_ID(participant.results));
          EXPECT_NE(0U, GNI_CE_RES_STATUS_OK(participant.results));
          EXPECT_EQ(0U, GNI_CE_RES_GET_STATUS(participant.results));
          EXPECT_EQ(0U, GNI_CE_RES_GET_FPE(participant.results));
        }
      }
    }
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(own.events, &entry));  // it hears of errors alone
  });
}

/// Participants go on without waiting; each contributes in order, and ids may be the same.
TEST(Collective, SeveralReductionsAreUnderWay) {
  constexpr std::size_t count = 12;
  CollectiveTree tree(3, 2, 1, GNI_CE_MODE_CQE_ONCOMP);
  tree.run([](int node, TreeNode& own, Meeting& all) {
    std::vector<gni_post_descriptor_t> posts;
    posts.reserve(count * own.participants.size());
    for (std::size_t i = 0; i < own.participants.size(); ++i) {
      sleep_us(node == 1 ? 7 : 0.3);  // one is late
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t value = 1ULL << (8 * static_cast<unsigned>(node) + 4 * i);
        posts.push_back(own.participants[i]->descriptor(GNI_FMA_CE_IADD, k / 4, {value * k, k}, k));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(own.participants[i]->side.ep, &posts.back()));
      }
    }
    for (const auto& participant : own.participants) {
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(GNI_RC_SUCCESS, participant->result(k));
        EXPECT_EQ(0x111111 * k, participant->results[k].result1);
        EXPECT_EQ(6 * k, participant->results[k].result2);
        EXPECT_EQ(k / 4, GNI_CE_RES_GET_RED_ID(&participant->results[k]));
      }
    }
    all.meet();
    for (std::size_t k = 0; k < count; ++k) {  // an event of its engine for each, in order
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(own.events, entry));
      EXPECT_EQ(own.id, GNI_CQ_GET_CE_ID(entry));
      EXPECT_EQ(k / 4, GNI_CQ_GET_REDUCTN_ID(entry));
      EXPECT_NE(0U, GNI_CQ_GET_SOURCE(entry));
      gni_post_descriptor_t* none = nullptr;
      EXPECT_EQ(GNI_RC_DESCRIPTOR_ERROR, GNI_GetCompleted(own.events, entry, &none));
    }
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(own.events, &entry));
  });
}

/// Up the tree and down again: a way between nodes takes 1 us, an engine's step 100 ns, and a
/// participant's result, which leaves an engine before those of other engines, 16 ns. What a
/// participant posts itself says no CE id.
TEST(Collective, TakesLongerOnADeeperTree) {
  for (const int depth : {1, 2, 3, 5}) {
    CollectiveTree tree(depth, 1, 1);
    tree.run([depth](int, TreeNode& own, Meeting& all) {
      const Participant& participant = *own.participants.front();
      auto post = participant.descriptor(GNI_FMA_CE_OR, 5, {1, 2});
      all.meet();
      sleep_until(test_us(100));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(participant.side.ep, &post));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(participant.side.tx, entry));
      EXPECT_EQ(0U, GNI_CQ_GET_CE_ID(entry));
      EXPECT_EQ(0U, GNI_CQ_GET_REDUCTN_ID(entry));
      gni_post_descriptor_t* posted = nullptr;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(participant.side.tx, entry, &posted));
      EXPECT_EQ(&post, posted);
      // The engine of the tree's end is the last: from there to the root, and to each the same
      // way back, so that all but the end hear earlier.
      while (GNI_CeCheckResult(participant.results, 1) == GNI_RC_NOT_DONE) sleep_us(0.001);
      if (participant.side.instance / 100 + 1 != static_cast<std::uint32_t>(depth)) return;
      const Time ways = test_us(2.0 * depth + 0.1 * (2 * depth - 1) + 0.016 * depth);
      EXPECT_TRUE(is_time(test_us(100) + ways, now())) << depth;
    });
  }
}

}  // namespace
}  // namespace nic_test
