// Every algorithm of every collective: right on any number of ranks, and it is the one that is run.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

constexpr const char* rules = "CASTOR_COLLECTIVES";

launch::JobRequest with_rules(int ranks, int per_node, const std::string& text) {
  return with(small_job(ranks, per_node), rules, text);
}

std::vector<long> elements(int rank, int count) {
  std::vector<long> made(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) made[static_cast<std::size_t>(i)] = element(rank, i);
  return made;
}

std::vector<long> sums(int size, int count, int first = 0) {
  std::vector<long> made(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    for (int rank = 0; rank < size; ++rank) {
      made[static_cast<std::size_t>(i)] += element(rank, first + i);
    }
  }
  return made;
}

/// The ranks' `each` elements one after the other, those from `first` on of each.
std::vector<long> joined(int size, int each, int first = 0) {
  std::vector<long> all;
  for (int rank = 0; rank < size; ++rank) {
    for (int i = 0; i < each; ++i) all.push_back(element(rank, first + i));
  }
  return all;
}

/// Completes what a non-blocking form has started.
void finish(MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

void check_bcast(int rank, int count, int root) {
  std::vector<long> data = elements(rank, count);
  MPI_Bcast(data.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
  EXPECT_EQ(data, elements(root, count));
  data = elements(rank, count);
  MPI_Request request;
  MPI_Ibcast(data.data(), count, MPI_LONG, root, MPI_COMM_WORLD, &request);
  finish(request);
  EXPECT_EQ(data, elements(root, count));
}

void check_reductions(int rank, int size, int count, int root) {
  const std::vector<long> in = elements(rank, count), sum = sums(size, count);
  std::vector<long> out(in.size(), -1);
  MPI_Request request;
  MPI_Reduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
  EXPECT_EQ(out, rank == root ? sum : std::vector<long>(in.size(), -1));
  out = in;
  MPI_Ireduce(rank == root ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_LONG, MPI_SUM, root,
              MPI_COMM_WORLD, &request);
  finish(request);
  EXPECT_EQ(out, rank == root ? sum : in);
  MPI_Allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(out, sum);
  out = in;
  MPI_Iallreduce(MPI_IN_PLACE, out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
  finish(request);
  EXPECT_EQ(out, sum);
}

/// Rank r gets `count` elements, r % 3 more if they differ.
void check_reduce_scatter(int rank, int size, int count) {
  std::vector<int> counts(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) counts[static_cast<std::size_t>(r)] = count + r % 3;
  const auto own = static_cast<std::size_t>(rank);
  const int total = std::accumulate(counts.begin(), counts.end(), 0);
  const int first = std::accumulate(counts.begin(), counts.begin() + rank, 0);
  const std::vector<long> in = elements(rank, total), sum = sums(size, counts[own], first);
  std::vector<long> out(sum.size(), -1);
  MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(out, sum);
  std::vector<long> data = in;
  MPI_Request request;
  MPI_Ireduce_scatter(MPI_IN_PLACE, data.data(), counts.data(), MPI_LONG, MPI_SUM, MPI_COMM_WORLD,
                      &request);
  finish(request);
  data.resize(sum.size());
  EXPECT_EQ(data, sum);
  const std::vector<long> block = sums(size, count, count * rank);
  out.assign(block.size(), -1);
  MPI_Reduce_scatter_block(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(out, block);
}

void check_gathers(int rank, int size, int count, int root) {
  const std::vector<long> mine = elements(rank, count), all = joined(size, count);
  std::vector<long> out(all.size(), -1), part(mine.size(), -1);
  MPI_Gather(mine.data(), count, MPI_LONG, out.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
  EXPECT_EQ(out, rank == root ? all : std::vector<long>(all.size(), -1));
  MPI_Scatter(all.data(), count, MPI_LONG, part.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
  EXPECT_EQ(part, mine);
  MPI_Allgather(mine.data(), count, MPI_LONG, out.data(), count, MPI_LONG, MPI_COMM_WORLD);
  EXPECT_EQ(out, all);
  out.assign(all.size(), -1);
  MPI_Request request;
  MPI_Iallgather(mine.data(), count, MPI_LONG, out.data(), count, MPI_LONG, MPI_COMM_WORLD,
                 &request);
  finish(request);
  EXPECT_EQ(out, all);
}

void check_alltoall(int rank, int size, int count) {
  const std::vector<long> out = elements(rank, size * count),
                          all = joined(size, count, rank * count);
  std::vector<long> in(out.size(), -1);
  MPI_Alltoall(out.data(), count, MPI_LONG, in.data(), count, MPI_LONG, MPI_COMM_WORLD);
  EXPECT_EQ(in, all);
  in = out;
  MPI_Request request;
  MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_LONG, in.data(), count, MPI_LONG, MPI_COMM_WORLD, &request);
  finish(request);
  EXPECT_EQ(in, all);
  // Rank a sends a + b + count elements to rank b.
  std::vector<int> out_counts, in_counts, out_at, in_at;
  int total = 0;
  for (int other = 0; other < size; ++other) {
    out_counts.push_back(rank + other + count);
    out_at.push_back(total);
    total += rank + other + count;
  }
  in_counts = out_counts;
  in_at = out_at;
  const std::vector<long> sent = elements(rank, total);
  std::vector<long> received(sent.size(), -1), expected;
  MPI_Alltoallv(sent.data(), out_counts.data(), out_at.data(), MPI_LONG, received.data(),
                in_counts.data(), in_at.data(), MPI_LONG, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other) {
    int first = 0;
    for (int before = 0; before < rank; ++before) first += other + before + count;
    for (int i = 0; i < rank + other + count; ++i) expected.push_back(element(other, first + i));
  }
  EXPECT_EQ(received, expected);
}

void check_all(int rank, int size) {
  for (const int count : {0, 1, 5, 700}) {
    for (const int root : {0, size - 1, size / 2}) {
      SCOPED_TRACE(testing::Message() << count << " elements, root " << root);
      check_bcast(rank, count, root);
      check_reductions(rank, size, count, root);
      check_gathers(rank, size, count, root);
    }
    check_reduce_scatter(rank, size, count);
    check_alltoall(rank, size, count);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  check_bcast(rank, 30000, size - 1);  // several segments of a chain
}

/// One algorithm of each collective.
const char* const sets[] = {
    "barrier dissemination; bcast binomial; reduce binomial; allreduce recursive_doubling; "
    "reduce_scatter halving; gather binomial; scatter binomial; allgather recursive_doubling; "
    "alltoall bruck; alltoallv linear",
    "barrier binomial; bcast scatter_ring; reduce scatter_gather; allreduce halving_doubling; "
    "reduce_scatter pairwise; gather linear; scatter linear; allgather bruck; alltoall linear; "
    "alltoallv pairwise",
    "bcast chain; allreduce ring; reduce_scatter reduce_scatterv; allgather ring; "
    "alltoall pairwise",
    // Two levels, with other than the usual ones in each.
    "barrier two_level in=all; bcast two_level in=all; reduce two_level in=all; "
    "allreduce two_level in=all; barrier binomial; bcast chain in=leaders; "
    "bcast scatter_ring in=node; reduce scatter_gather; allreduce ring",
};

class Algorithms : public testing::TestWithParam<const char*> {};

TEST_P(Algorithms, AreRightOnAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 4, 5, 7, 8, 12}) {
    for (const int per_node : {1, 3}) {
      SCOPED_TRACE(testing::Message() << size << " ranks, -N " << per_node);
      run_mpi(with_rules(size, std::min(per_node, size), GetParam()),
              [&](int rank) { check_all(rank, size); });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Algorithms, testing::ValuesIn(sets));

struct Counted {
  const char* rule;
  std::uint64_t messages;  ///< of 8 ranks on 8 nodes
};

void run_collective(const std::string& name, int rank) {
  constexpr int size = 8, count = 64;
  std::vector<long> in = elements(rank, size * count), out(in.size());
  const std::vector<int> counts(size, count), at{0, 64, 128, 192, 256, 320, 384, 448};
  const MPI_Comm all = MPI_COMM_WORLD;
  if (name == "barrier") MPI_Barrier(all);
  if (name == "bcast") MPI_Bcast(in.data(), count, MPI_LONG, 3, all);
  if (name == "reduce") MPI_Reduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, 3, all);
  if (name == "allreduce") MPI_Allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, all);
  if (name == "reduce_scatter") {
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_LONG, MPI_SUM, all);
  }
  if (name == "gather") {
    MPI_Gather(in.data(), count, MPI_LONG, out.data(), count, MPI_LONG, 3, all);
  }
  if (name == "scatter") {
    MPI_Scatter(in.data(), count, MPI_LONG, out.data(), count, MPI_LONG, 3, all);
  }
  if (name == "allgather") {
    MPI_Allgather(in.data(), count, MPI_LONG, out.data(), count, MPI_LONG, all);
  }
  if (name == "alltoall") {
    MPI_Alltoall(in.data(), count, MPI_LONG, out.data(), count, MPI_LONG, all);
  }
  if (name == "alltoallv") {
    MPI_Alltoallv(in.data(), counts.data(), at.data(), MPI_LONG, out.data(), counts.data(),
                  at.data(), MPI_LONG, all);
  }
}

// With P ranks: a tree takes P - 1 messages, log2(P) rounds of all take P log2(P), a ring or a
// pairwise exchange P (P - 1).
TEST(AlgorithmsOfRules, TakeTheMessagesThatTheyShould) {
  constexpr std::uint64_t tree = 7, rounds = 24, pairs = 56;
  const Counted expected[] = {
      {"barrier dissemination", rounds},
      {"barrier binomial", 2 * tree},
      {"bcast binomial", tree},
      {"bcast chain", tree},
      {"bcast scatter_ring", tree + pairs},
      {"reduce binomial", tree},
      {"reduce scatter_gather", rounds + tree},
      {"allreduce recursive_doubling", rounds},
      {"allreduce halving_doubling", 2 * rounds},
      {"allreduce ring", 2 * pairs},
      {"reduce_scatter halving", rounds},
      {"reduce_scatter pairwise", pairs},
      {"reduce_scatter reduce_scatterv", 2 * tree},
      {"gather binomial", tree},
      {"gather linear", tree},
      {"scatter binomial", tree},
      {"scatter linear", tree},
      {"allgather recursive_doubling", rounds},
      {"allgather bruck", rounds},
      {"allgather ring", pairs},
      {"alltoall bruck", rounds},
      {"alltoall linear", pairs},
      {"alltoall pairwise", pairs},
      {"alltoallv linear", pairs},
      {"alltoallv pairwise", pairs},
  };
  for (const Counted& one : expected) {
    SCOPED_TRACE(one.rule);
    const std::string rule = one.rule;
    launch::JobRequest request = with_rules(8, 1, rule + "; reduce binomial");
    request = with(request, "MPICH_ENABLE_SMP_COLLECTIVES", "0");
    run_mpi(request, [&](int rank) {
      const std::string name = rule.substr(0, rule.find(' '));
      const Messages sent = messages_of([&] { run_collective(name, rank); });
      EXPECT_EQ(sent.between, one.messages);
      EXPECT_EQ(sent.within, 0U);
    });
  }
}

TEST(AlgorithmsOfRules, OperationsThatDoNotCommuteKeepTheirOrder) {
  // The 2x2 matrices of an affine map, composed: associative, not commutative.
  const auto compose = [](void* in, void* inout, int* length, MPI_Datatype*) {
    auto* first = static_cast<long*>(in);
    auto* second = static_cast<long*>(inout);
    for (int i = 0; i < *length; ++i, first += 2, second += 2) {
      const long factor = first[0] * second[0] % 1009;
      const long offset = (first[0] * second[1] + first[1]) % 1009;
      second[0] = factor;
      second[1] = offset;
    }
  };
  for (const char* set : sets) {
    run_mpi(with_rules(7, 3, set), [&](int rank) {
      MPI_Datatype map;
      MPI_Op op;
      MPI_Type_contiguous(2, MPI_LONG, &map);
      MPI_Type_commit(&map);
      MPI_Op_create(compose, 0, &op);
      std::vector<long> in(2 * 7 * 40), out(in.size()), expected(in.size());
      const auto fill_in = [](std::vector<long>& maps, int of) {
        for (std::size_t i = 0; i < maps.size(); ++i) {
          maps[i] = static_cast<long>(i * 17 + static_cast<std::size_t>(of) * 29) % 1009;
        }
      };
      fill_in(expected, 6);
      for (int before = 5; before >= 0; --before) {
        fill_in(in, before);
        int length = 7 * 40;
        compose(in.data(), expected.data(), &length, nullptr);
      }
      fill_in(in, rank);
      MPI_Allreduce(in.data(), out.data(), 7 * 40, map, op, MPI_COMM_WORLD);
      EXPECT_EQ(out, expected);
      out.assign(out.size(), 0);
      MPI_Reduce(in.data(), out.data(), 7 * 40, map, op, 4, MPI_COMM_WORLD);
      EXPECT_EQ(out, rank == 4 ? expected : std::vector<long>(out.size(), 0));
      MPI_Reduce_scatter_block(in.data(), out.data(), 40, map, op, MPI_COMM_WORLD);
      const auto mine = expected.begin() + rank * 80;
      EXPECT_TRUE(std::equal(mine, mine + 80, out.begin()));
      MPI_Op_free(&op);
      MPI_Type_free(&map);
    });
  }
}

TEST(AlgorithmsOfRules, BadOnesAreRefusedBeforeTheJobBegins) {
  try {
    const launch::VirtualRun run(with_rules(2, 1, "bcast ring"));
    ADD_FAILURE() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "CASTOR_COLLECTIVES: rule \"bcast ring\": \"ring\" is no algorithm of bcast: "
              "two_level, binomial, scatter_ring, chain");
  }
}

}  // namespace
}  // namespace castor_test
