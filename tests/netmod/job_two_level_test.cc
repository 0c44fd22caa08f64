// Collectives in two levels: results on many shapes, and the messages that they take.
#include <algorithm>
#include <numeric>
#include <set>

#include "launch/description/rank_order.h"
#include "tests/netmod/job_support.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

/// A job of `ranks` ranks on nodes in the order of `nids` (empty: 0, 1, 2, ...).
struct Shape {
  int ranks;
  int per_node;
  std::vector<int> nids;
  unsigned method = 1;  ///< MPICH_RANK_REORDER_METHOD

  int node_of(int rank) const {
    corespec::Parameters parameters;
    parameters.rank_reorder_method = method;
    return launch::rank_order(parameters, ranks, per_node).place_of(rank) / per_node;
  }
};

const std::vector<Shape> all_shapes{
    {2, 1, {}},
    {7, 1, {}},
    {4, 2, {}},
    {7, 2, {}},
    {9, 2, {6, 1, 9, 0, 4}},
    {6, 3, {8, 2}},
    {10, 3, {}},
    {16, 4, {}},
    {17, 4, {}},
    {4, 4, {}},
    {13, 4, {3, 2, 1, 0}},
    {5, 5, {}},
    {11, 5, {}},
    {40, 8, {}},
    {23, 5, {7, 30, 2, 11, 5}},
    {16, 4, {}, 0},
    {23, 5, {7, 30, 2, 11, 5}, 2},
};

/// Live each rank is a process: a shape with several levels, and one without.
const std::vector<Shape> live_shapes{{7, 2, {6, 1, 9, 0}}, {5, 5, {}}};

const std::vector<Shape>& shapes() { return live_clock() ? live_shapes : all_shapes; }

launch::JobRequest job_of(const Shape& shape, bool two_level = true) {
  launch::JobRequest request = small_job(shape.ranks, shape.per_node);
  request.nids = shape.nids;
  request.by_aprun = true;
  request = with(std::move(request), "MPICH_RANK_REORDER_METHOD", std::to_string(shape.method));
  return with(std::move(request), "MPICH_ENABLE_SMP_COLLECTIVES", two_level ? "1" : "0");
}

/// A reproducible number that looks random.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b = 0) {
  std::uint64_t z = (a + 1) * 0x9e3779b97f4a7c15ULL + (b + 1) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 29)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 32);
}

/// A way to divide the world: who is together, in which order. Color -1: in none.
struct Division {
  const char* name;
  int (*color)(int rank);
  int (*key)(int rank);
};

const std::vector<Division> divisions{
    {"world", [](int) { return 0; }, [](int rank) { return rank; }},
    {"world backwards", [](int) { return 0; }, [](int rank) { return -rank; }},
    {"every other rank", [](int rank) { return rank % 2; }, [](int rank) { return rank; }},
    {"every third, backwards", [](int rank) { return rank % 3; }, [](int rank) { return -rank; }},
    {"from rank 3 on", [](int rank) { return rank < 3 ? -1 : 1; }, [](int rank) { return rank; }},
    {"one per node of 5", [](int rank) { return rank % 5; }, [](int rank) { return rank; }},
    {"shuffled", [](int) { return 0; },
     [](int rank) { return static_cast<int>(mixed(static_cast<std::uint64_t>(rank)) % 1000); }},
    {"two shuffled parts",
     [](int rank) { return static_cast<int>(mixed(static_cast<std::uint64_t>(rank), 1) % 2); },
     [](int rank) { return static_cast<int>(mixed(static_cast<std::uint64_t>(rank), 2) % 1000); }},
};

/// World ranks of the caller's part in its order, as the program itself can work them out.
std::vector<int> members_of(const Division& division, int rank, int size) {
  std::vector<int> members;
  for (int other = 0; other < size; ++other) {
    if (division.color(other) == division.color(rank)) members.push_back(other);
  }
  std::stable_sort(members.begin(), members.end(),
                   [&](int a, int b) { return division.key(a) < division.key(b); });
  return members;
}

/// The caller's part of one division of one shape.
struct Part {
  MPI_Comm comm;
  std::vector<int> members;  ///< world ranks
  int rank;                  ///< the caller's, in the part
  int size() const { return static_cast<int>(members.size()); }
};

/// `body` on every part of every division of every shape.
void on_all_parts(const std::function<void(const Part&)>& body) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.ranks << " ranks, -N " << shape.per_node);
    run_mpi(job_of(shape), [&](int rank) {
      for (const Division& division : divisions) {
        const int color = division.color(rank);
        Part part{MPI_COMM_NULL, members_of(division, rank, shape.ranks), -1};
        MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, division.key(rank),
                       &part.comm);
        if (color < 0) continue;
        MPI_Comm_rank(part.comm, &part.rank);
        ASSERT_EQ(part.members[static_cast<std::size_t>(part.rank)], rank);
        SCOPED_TRACE(division.name);
        body(part);
        MPI_Comm_free(&part.comm);
      }
    });
  }
}

std::vector<std::uint64_t> values(int world_rank, std::size_t count, std::uint64_t salt) {
  std::vector<std::uint64_t> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = mixed(static_cast<std::uint64_t>(world_rank) * 1000003 + i, salt);
  }
  return made;
}

/// The sum, modulo 2^64, of all members' values.
std::vector<std::uint64_t> sums(const Part& part, std::size_t count, std::uint64_t salt) {
  std::vector<std::uint64_t> total(count, 0);
  for (int member : part.members) {
    const std::vector<std::uint64_t> more = values(member, count, salt);
    for (std::size_t i = 0; i < count; ++i) total[i] += more[i];
  }
  return total;
}

TEST(TwoLevel, AllreduceSumsRandomWords) {
  on_all_parts([](const Part& part) {
    for (std::size_t count : {std::size_t{1}, std::size_t{129}, std::size_t{700}}) {
      const auto in = values(part.members[static_cast<std::size_t>(part.rank)], count, count);
      std::vector<std::uint64_t> out(count);
      MPI_Allreduce(in.data(), out.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM,
                    part.comm);
      EXPECT_EQ(out, sums(part, count, count)) << count;
      out = in;
      MPI_Allreduce(MPI_IN_PLACE, out.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM,
                    part.comm);
      EXPECT_EQ(out, sums(part, count, count)) << count << " in place";
    }
  });
}

TEST(TwoLevel, ReduceToEveryRoot) {
  on_all_parts([](const Part& part) {
    for (int root = 0; root < part.size(); ++root) {
      const std::size_t count = root % 2 == 0 ? 3 : 300;
      const auto salt = static_cast<std::uint64_t>(root);
      auto in = values(part.members[static_cast<std::size_t>(part.rank)], count, salt);
      const std::vector<std::uint64_t> before = in;
      std::vector<std::uint64_t> out(count, 7);
      MPI_Reduce(in.data(), out.data(), static_cast<int>(count), MPI_UINT64_T, MPI_SUM, root,
                 part.comm);
      EXPECT_EQ(in, before);
      EXPECT_EQ(out,
                part.rank == root ? sums(part, count, salt) : std::vector<std::uint64_t>(count, 7))
          << "root " << root;
      const bool here = part.rank == root;
      MPI_Reduce(here ? MPI_IN_PLACE : in.data(), here ? in.data() : nullptr,
                 static_cast<int>(count), MPI_UINT64_T, MPI_SUM, root, part.comm);
      EXPECT_EQ(in, here ? sums(part, count, salt) : before) << "in place, root " << root;
    }
  });
}

TEST(TwoLevel, BroadcastFromEveryRoot) {
  on_all_parts([](const Part& part) {
    for (int root = 0; root < part.size(); ++root) {
      const std::vector<std::size_t> sizes{1, 1003, 13001};
      const std::size_t bytes = sizes[static_cast<std::size_t>(root) % 3];
      Buffer buffer(bytes);
      const std::uint64_t seed = mixed(bytes, static_cast<std::uint64_t>(root));
      if (part.rank == root) buffer.fill(seed);
      MPI_Bcast(buffer.data(), static_cast<int>(bytes), MPI_BYTE, root, part.comm);
      EXPECT_TRUE(buffer.holds(seed)) << bytes << " bytes from " << root;
      EXPECT_TRUE(buffer.guards_intact());
    }
  });
}

TEST(TwoLevel, VeryLargeBroadcasts) {
  run_mpi(job_of({13, 4, {}}), [](int rank) {
    for (std::size_t bytes : {std::size_t{524287}, std::size_t{524288}}) {
      Buffer buffer(bytes);
      if (rank == 6) buffer.fill(bytes);
      MPI_Bcast(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 6, MPI_COMM_WORLD);
      EXPECT_TRUE(buffer.holds(bytes));
    }
  });
}

TEST(TwoLevel, NoRankLeavesABarrierBeforeTheLastHasEntered) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.ranks << " ranks, -N " << shape.per_node);
    run_mpi(job_of(shape), [&](int rank) {
      for (const Division& division : divisions) {
        SCOPED_TRACE(division.name);
        const int color = division.color(rank);
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, division.key(rank),
                       &part);
        const std::vector<int> members = members_of(division, rank, shape.ranks);
        for (int late : {members.front(), members.back(), members[members.size() / 2]}) {
          if (rank == late) compute_us(100);
          const corespec::Time entered = clock_now();
          if (color >= 0) MPI_Barrier(part);
          const corespec::Time left = clock_now();
          const std::vector<std::int64_t> all = gathered(entered.ps());
          if (color < 0) continue;
          for (int other : members) {
            EXPECT_GE(left.ps(), all[static_cast<std::size_t>(other)]);
          }
        }
        if (color >= 0) MPI_Comm_free(&part);
      }
    });
  }
}

/// Affine maps x -> a x + b (modulo 2^32), composed in order: associative, not commutative.
struct Affine {
  std::uint32_t a, b;
  bool operator==(const Affine&) const = default;
};
Affine then(Affine first, Affine second) {
  return {first.a * second.a, first.b * second.a + second.b};
}
extern "C" void compose_affine(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    Affine& right = static_cast<Affine*>(inout)[i];
    right = then(static_cast<const Affine*>(in)[i], right);
  }
}

TEST(TwoLevel, OperationsThatDoNotCommuteKeepTheOrderOfRanks) {
  on_all_parts([](const Part& part) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
    MPI_Type_commit(&pair);
    MPI_Op compose;
    MPI_Op_create(compose_affine, 0, &compose);
    const auto map_of = [](int world_rank) {
      const std::uint64_t word = mixed(static_cast<std::uint64_t>(world_rank), 9);
      return Affine{static_cast<std::uint32_t>(word) | 1u, static_cast<std::uint32_t>(word >> 32)};
    };
    Affine expected{1, 0};
    for (int member : part.members) expected = then(expected, map_of(member));
    const Affine mine = map_of(part.members[static_cast<std::size_t>(part.rank)]);
    Affine out{0, 0};
    MPI_Allreduce(&mine, &out, 1, pair, compose, part.comm);
    EXPECT_EQ(out, expected);
    for (int root = 0; root < part.size(); ++root) {
      out = {0, 0};
      MPI_Reduce(&mine, &out, 1, pair, compose, root, part.comm);
      EXPECT_EQ(out, part.rank == root ? expected : (Affine{0, 0})) << "root " << root;
    }
    MPI_Op_free(&compose);
    MPI_Type_free(&pair);
  });
}

TEST(TwoLevel, EveryRankGetsTheSameBitsOfFloatingPointSums) {
  on_all_parts([](const Part& part) {
    std::vector<double> in(400), out(in.size());
    const int self = part.members[static_cast<std::size_t>(part.rank)];
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<double>(mixed(static_cast<std::uint64_t>(self), i)) * 1e-7;
    }
    for (int count : {1, 400}) {
      MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, part.comm);
      std::vector<double> first = out;
      MPI_Bcast(first.data(), count, MPI_DOUBLE, 0, part.comm);
      EXPECT_EQ(out, first);
    }
  });
}

std::uint64_t rounds(std::uint64_t size) {
  std::uint64_t result = 0;
  while (std::uint64_t{1} << result < size) ++result;
  return result;
}

/// What collectives on one element are to take on the parts of a division.
struct Expected {
  Messages barrier, tree, allreduce;
};

Expected expected_messages(const Shape& shape, const Division& division) {
  Expected all;
  for (int first = 0; first < shape.ranks; ++first) {
    const std::vector<int> members = members_of(division, first, shape.ranks);
    if (division.color(first) < 0 || first != *std::min_element(members.begin(), members.end())) {
      continue;  // not the first of a part
    }
    std::set<int> nodes;
    for (int member : members) nodes.insert(shape.node_of(member));
    const std::uint64_t size = members.size(), leaders = nodes.size();
    const std::uint64_t others = size - leaders;
    const std::uint64_t half = std::uint64_t{1} << (rounds(leaders + 1) - 1);  // power <= leaders
    all.tree.between += leaders - 1;
    all.tree.within += others;
    all.barrier.between += leaders == 1 ? 0 : leaders * rounds(leaders);
    all.allreduce.between += 2 * (leaders - half) + half * rounds(half);
    if (leaders > 1) {
      all.barrier.within += 2 * others;
      all.allreduce.within += 2 * others;
      continue;
    }
    const std::uint64_t power = std::uint64_t{1} << (rounds(size + 1) - 1);  // one level
    all.barrier.within += size * rounds(size);
    all.allreduce.within += 2 * (size - power) + power * rounds(power);
  }
  return all;
}

TEST(TwoLevel, TakeOneMessagePerRankWithinAndOneLevelsOfLeadersBetween) {
  for (const Shape& shape : shapes()) {
    run_mpi(job_of(shape), [&](int rank) {
      for (const Division& division : divisions) {
        SCOPED_TRACE(testing::Message()
                     << shape.ranks << " ranks, -N " << shape.per_node << ", " << division.name);
        const int color = division.color(rank);
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, division.key(rank),
                       &part);
        int last = -1;
        if (color >= 0) MPI_Comm_size(part, &last);
        --last;
        // Twice: what a first use may take besides counts, too.
        const auto count = [&](const std::function<void(int* in, int* out)>& call) {
          const auto on_part = [&] {
            int in = 1, out = 0;
            if (color >= 0) call(&in, &out);
          };
          const Messages first = messages_of(on_part);
          EXPECT_EQ(messages_of(on_part), first);
          return first;
        };
        const Expected expected = expected_messages(shape, division);
        EXPECT_EQ(count([&](int*, int*) { MPI_Barrier(part); }), expected.barrier);
        EXPECT_EQ(count([&](int* in, int*) { MPI_Bcast(in, 1, MPI_INT, last, part); }),
                  expected.tree);
        EXPECT_EQ(
            count([&](int* in, int* out) { MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, last, part); }),
            expected.tree);
        EXPECT_EQ(
            count([&](int* in, int* out) { MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, part); }),
            expected.allreduce);
        if (color >= 0) MPI_Comm_free(&part);
      }
    });
  }
}

TEST(TwoLevel, SwitchedOffAllRanksExchange) {
  run_mpi(job_of({16, 4, {}}, false), [](int) {
    const Messages flat = messages_of([] {
      int in = 1, out = 0;
      MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(out, 16);
    });
    EXPECT_EQ(flat, (Messages{32, 32}));
  });
}

TEST(TwoLevel, OneRankPerNodeTakesTheSameTimeEitherWay) {
  if (live_clock()) GTEST_SKIP() << "no two live runs take the same time";
  const auto time = [](bool two_level) {
    return run_mpi(
               job_of({13, 1, {}}, two_level),
               [](int) {
                 std::vector<double> in(1000, 1.0), out(1000);
                 MPI_Barrier(MPI_COMM_WORLD);
                 for (int count : {1, 1000}) {
                   MPI_Bcast(in.data(), count, MPI_DOUBLE, 5, MPI_COMM_WORLD);
                   MPI_Reduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, 7, MPI_COMM_WORLD);
                   MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                 }
               })
        .job.machine.fingerprint;
  };
  EXPECT_EQ(time(true), time(false));
}

}  // namespace
}  // namespace castor_test
