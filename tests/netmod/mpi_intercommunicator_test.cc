// Intercommunicators, and communicators made without a blocking call of everybody.
#include <array>
#include <numeric>
#include <set>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicators.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// The world cut in two: the first third (at least one rank) and the rest.
struct Halves {
  explicit Halves(int rank_in_world, int size) : rank(rank_in_world), low_size((size + 2) / 3) {
    low = rank < low_size;
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &own);
    // The last rank of each leads.
    MPI_Comm_size(own, &own_size);
    other_size = size - own_size;
    const int remote_leader = low ? size - 1 : low_size - 1;
    EXPECT_EQ(MPI_Intercomm_create(own, own_size - 1, MPI_COMM_WORLD, remote_leader, 5, &inter),
              MPI_SUCCESS);
    MPI_Comm_rank(own, &own_rank);
  }
  ~Halves() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&own);
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;
  /// World rank of a rank of the other group.
  int world(int other) const { return low ? low_size + other : other; }

  int rank, low_size, own_size = 0, other_size = 0, own_rank = 0;
  bool low = false;
  MPI_Comm own = MPI_COMM_NULL, inter = MPI_COMM_NULL;
};

class Intercommunicator : public ::testing::TestWithParam<int> {
 protected:
  static void on_halves(const std::function<void(const Halves&)>& body) {
    const int size = GetParam();
    run_mpi(size, [&](int rank) { body(Halves(rank, size)); });
  }
};

TEST_P(Intercommunicator, KnowsBothGroups) {
  on_halves([](const Halves& halves) {
    int flag = -1, size = -1, rank = -1, result = -1;
    MPI_Comm_test_inter(halves.inter, &flag);
    EXPECT_EQ(flag, 1);
    MPI_Comm_size(halves.inter, &size);
    EXPECT_EQ(size, halves.own_size);
    MPI_Comm_remote_size(halves.inter, &size);
    EXPECT_EQ(size, halves.other_size);
    MPI_Comm_rank(halves.inter, &rank);
    EXPECT_EQ(rank, halves.own_rank);
    MPI_Group own, other, world, both;
    MPI_Comm_group(halves.inter, &own);
    MPI_Comm_remote_group(halves.inter, &other);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_union(halves.low ? own : other, halves.low ? other : own, &both);
    MPI_Group_compare(both, world, &result);
    EXPECT_EQ(result, MPI_IDENT);
    for (MPI_Group* each : {&own, &other, &world, &both}) MPI_Group_free(each);
    MPI_Comm dup, later;
    MPI_Request request;
    MPI_Comm_dup(halves.inter, &dup);
    MPI_Comm_idup(halves.inter, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    std::set<std::uint32_t> contexts;
    for (MPI_Comm each : {halves.inter, dup, later, halves.own}) {
      EXPECT_TRUE(contexts.insert(this_rank_or_null()->communicators().named(each).context).second);
    }
    MPI_Comm_compare(halves.inter, dup, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Comm_compare(later, dup, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Comm_compare(halves.inter, halves.own, &result);
    EXPECT_EQ(result, MPI_UNEQUAL);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&later);
  });
}

TEST_P(Intercommunicator, MessagesGoToTheOtherGroup) {
  on_halves([](const Halves& halves) {
    std::vector<MPI_Request> requests;
    for (int to = 0; to < halves.other_size; ++to) {
      requests.emplace_back();
      MPI_Isend(&halves.rank, 1, MPI_INT, to, 3, halves.inter, &requests.back());
    }
    for (int i = 0; i < halves.other_size; ++i) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, halves.inter, &status);
      EXPECT_EQ(got, halves.world(status.MPI_SOURCE));
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  });
}

TEST_P(Intercommunicator, MergesInEitherOrder) {
  on_halves([](const Halves& halves) {
    for (const int low_is_high : {0, 1}) {
      MPI_Comm all;
      MPI_Intercomm_merge(halves.inter, halves.low ? low_is_high : 1 - low_is_high, &all);
      int rank = -1, sum = 0;
      MPI_Comm_rank(all, &rank);
      const bool first = halves.low == (low_is_high == 0);
      EXPECT_EQ(rank, halves.own_rank + (first ? 0 : halves.other_size));
      MPI_Allreduce(&halves.own_size, &sum, 1, MPI_INT, MPI_SUM, all);
      EXPECT_EQ(sum, halves.own_size * halves.own_size + halves.other_size * halves.other_size);
      MPI_Comm_free(&all);
    }
    MPI_Comm all;
    MPI_Intercomm_merge(halves.inter, 1, &all);
    int size = -1;
    MPI_Comm_size(all, &size);
    EXPECT_EQ(size, halves.own_size + halves.other_size);
    MPI_Barrier(all);
    MPI_Comm_free(&all);
  });
}

TEST_P(Intercommunicator, SplitsAndParts) {
  on_halves([](const Halves& halves) {
    MPI_Comm part;
    const int color = halves.own_rank % 2;
    MPI_Comm_split(halves.inter, color, -halves.own_rank, &part);
    const int members = (halves.own_size + 1 - color) / 2;
    const int others = (halves.other_size + 1 - color) / 2;
    ASSERT_EQ(part == MPI_COMM_NULL, others == 0);
    if (part != MPI_COMM_NULL) {
      int size = -1, rank = -1;
      MPI_Comm_remote_size(part, &size);
      EXPECT_EQ(size, others);
      MPI_Comm_rank(part, &rank);
      EXPECT_EQ(rank, members - 1 - halves.own_rank / 2);
      MPI_Barrier(part);
      MPI_Comm_free(&part);
    }
    // The last rank of each group.
    MPI_Group own, last;
    MPI_Comm_group(halves.inter, &own);
    const int chosen = halves.own_size - 1;
    MPI_Group_incl(own, 1, &chosen, &last);
    MPI_Comm_create(halves.inter, last, &part);
    EXPECT_EQ(part == MPI_COMM_NULL, halves.own_rank != chosen);
    if (part != MPI_COMM_NULL) {
      int got = -1;
      MPI_Sendrecv(&halves.rank, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, part, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, halves.world(halves.other_size - 1));
      MPI_Comm_free(&part);
    }
    MPI_Comm_create(halves.inter, halves.low ? last : MPI_GROUP_EMPTY, &part);
    EXPECT_EQ(part, MPI_COMM_NULL);
    MPI_Group_free(&own);
    MPI_Group_free(&last);
  });
}

TEST_P(Intercommunicator, CollectivesWithARoot) {
  on_halves([](const Halves& halves) {
    for (const bool low_has_root : {true, false}) {
      for (const int count : {0, 1, 3000}) {
        const auto n = static_cast<std::size_t>(count);
        const bool root_side = halves.low == low_has_root;
        const int root_rank = root_side ? halves.own_size - 1 : halves.other_size - 1;
        const bool at_root = root_side && halves.own_rank == root_rank;
        const int root = root_side ? (at_root ? MPI_ROOT : MPI_PROC_NULL) : root_rank;
        const auto others = static_cast<std::size_t>(halves.other_size);
        std::vector<int> data(n, -1), all(n * others, -1);
        for (std::size_t i = 0; i < n && root_side; ++i) data[i] = cell(7, 0, static_cast<int>(i));
        MPI_Bcast(data.data(), count, MPI_INT, root, halves.inter);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(data[i], cell(7, 0, static_cast<int>(i)));
        }
        std::vector<int> mine(n);
        for (std::size_t i = 0; i < n; ++i) mine[i] = cell(halves.own_rank, 0, static_cast<int>(i));
        MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, halves.inter);
        for (std::size_t i = 0; i < all.size() && at_root; ++i) {
          ASSERT_EQ(all[i], cell(static_cast<int>(i / n), 0, static_cast<int>(i % n)));
        }
        std::vector<int> part(n, -1);
        MPI_Request request;
        MPI_Iscatter(all.data(), count, MPI_INT, part.data(), count, MPI_INT, root, halves.inter,
                     &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (!root_side) {
          EXPECT_EQ(part, mine);
        }
        std::vector<int> sum(n, -1);
        MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, halves.inter);
        for (std::size_t i = 0; i < n && at_root; ++i) {
          int expected = 0;
          for (int other = 0; other < halves.other_size; ++other) {
            expected += cell(other, 0, static_cast<int>(i));
          }
          ASSERT_EQ(sum[i], expected);
        }
      }
    }
  });
}

/// Counts and places of parts, one for each rank of the other group, with a gap behind each.
struct Places {
  /// `count_of(i)` elements for rank i.
  Places(int ranks, const std::function<int(int)>& count_of) {
    for (int i = 0; i < ranks; ++i) {
      counts.push_back(count_of(i));
      places.push_back(length);
      length += counts.back() + 1;
    }
  }
  int at(int rank, int index) const { return places[static_cast<std::size_t>(rank)] + index; }
  /// `value_of(rank, index)` in the parts, -1 in the gaps.
  std::vector<int> filled(const std::function<int(int, int)>& value_of) const {
    std::vector<int> all(static_cast<std::size_t>(length), -1);
    for (int rank = 0; rank < static_cast<int>(counts.size()); ++rank) {
      for (int i = 0; i < counts[static_cast<std::size_t>(rank)]; ++i) {
        all[static_cast<std::size_t>(at(rank, i))] = value_of(rank, i);
      }
    }
    return all;
  }
  std::vector<int> empty() const { return std::vector<int>(static_cast<std::size_t>(length), -1); }

  std::vector<int> counts, places;
  int length = 0;
};

/// Runs the blocking or the non-blocking form of a collective to its end.
template <class Blocking, class Starting>
void either(bool blocking, const Blocking& call, const Starting& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(blocking ? call() : start(&request), MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Ranks give and get different counts, some none.
TEST_P(Intercommunicator, PartsOfDifferentSizesWithARoot) {
  on_halves([](const Halves& halves) {
    for (const bool low_has_root : {true, false}) {
      for (const bool blocking : {true, false}) {
        const bool root_side = halves.low == low_has_root;
        const int root_rank = root_side ? 0 : halves.other_size - 1;
        const bool at_root = root_side && halves.own_rank == halves.own_size - 1;
        const int root = root_side ? (at_root ? MPI_ROOT : MPI_PROC_NULL) : root_rank;
        const auto count_of = [](int rank) { return rank % 3; };
        const Places parts(halves.other_size, count_of);
        const int count = count_of(halves.own_rank);
        std::vector<int> mine;
        for (int i = 0; i < count; ++i) mine.push_back(cell(halves.own_rank, 1, i));
        std::vector<int> all = parts.empty();
        either(
            blocking,
            [&] {
              return MPI_Gatherv(mine.data(), count, MPI_INT, all.data(), parts.counts.data(),
                                 parts.places.data(), MPI_INT, root, halves.inter);
            },
            [&](MPI_Request* request) {
              return MPI_Igatherv(mine.data(), count, MPI_INT, all.data(), parts.counts.data(),
                                  parts.places.data(), MPI_INT, root, halves.inter, request);
            });
        const auto expected = parts.filled([](int rank, int i) { return cell(rank, 1, i); });
        EXPECT_EQ(all, at_root ? expected : parts.empty());
        std::vector<int> back(mine.size() + 1, -1);
        either(
            blocking,
            [&] {
              return MPI_Scatterv(all.data(), parts.counts.data(), parts.places.data(), MPI_INT,
                                  back.data(), count, MPI_INT, root, halves.inter);
            },
            [&](MPI_Request* request) {
              return MPI_Iscatterv(all.data(), parts.counts.data(), parts.places.data(), MPI_INT,
                                   back.data(), count, MPI_INT, root, halves.inter, request);
            });
        EXPECT_EQ(back.back(), -1);
        if (root_side) mine.assign(mine.size(), -1);
        back.pop_back();
        EXPECT_EQ(back, mine);
      }
    }
  });
}

TEST_P(Intercommunicator, PartsOfDifferentSizesOfAll) {
  on_halves([](const Halves& halves) {
    for (const bool blocking : {true, false}) {
      // Every rank gives all others the same; those with an even rank nothing.
      const auto gives = [](int rank) { return rank % 2 == 0 ? 0 : rank; };
      const Places gathered(halves.other_size, gives);
      std::vector<int> mine, all = gathered.empty();
      for (int i = 0; i < gives(halves.own_rank); ++i) mine.push_back(cell(halves.rank, 2, i));
      either(
          blocking,
          [&] {
            return MPI_Allgatherv(mine.data(), gives(halves.own_rank), MPI_INT, all.data(),
                                  gathered.counts.data(), gathered.places.data(), MPI_INT,
                                  halves.inter);
          },
          [&](MPI_Request* request) {
            return MPI_Iallgatherv(mine.data(), gives(halves.own_rank), MPI_INT, all.data(),
                                   gathered.counts.data(), gathered.places.data(), MPI_INT,
                                   halves.inter, request);
          });
      EXPECT_EQ(all,
                gathered.filled([&](int other, int i) { return cell(halves.world(other), 2, i); }));
      // Each pair its own count, the same in either direction.
      const auto count_of = [&](int other) { return (halves.own_rank + 2 * other) % 3; };
      const auto count_from = [&](int other) { return (other + 2 * halves.own_rank) % 3; };
      const Places out(halves.other_size, count_of), in(halves.other_size, count_from);
      const std::vector<int> data =
          out.filled([&](int other, int i) { return cell(halves.rank, halves.world(other), i); });
      const std::vector<int> expected =
          in.filled([&](int other, int i) { return cell(halves.world(other), halves.rank, i); });
      std::vector<int> got = in.empty();
      either(
          blocking,
          [&] {
            return MPI_Alltoallv(data.data(), out.counts.data(), out.places.data(), MPI_INT,
                                 got.data(), in.counts.data(), in.places.data(), MPI_INT,
                                 halves.inter);
          },
          [&](MPI_Request* request) {
            return MPI_Ialltoallv(data.data(), out.counts.data(), out.places.data(), MPI_INT,
                                  got.data(), in.counts.data(), in.places.data(), MPI_INT,
                                  halves.inter, request);
          });
      EXPECT_EQ(got, expected);
      // The same in bytes, to the odd ranks with a datatype of its own.
      MPI_Datatype resized;
      MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &resized);
      MPI_Type_commit(&resized);
      std::vector<MPI_Datatype> out_types, in_types;
      std::vector<int> out_bytes, in_bytes;
      for (int other = 0; other < halves.other_size; ++other) {
        out_types.push_back(MPI_INT);
        in_types.push_back(other % 2 == 0 ? MPI_INT : resized);
        out_bytes.push_back(out.at(other, 0) * static_cast<int>(sizeof(int)));
        in_bytes.push_back(2 * in.at(other, 0) * static_cast<int>(sizeof(int)));
      }
      std::vector<int> wide(2 * got.size(), -1), expected_wide = wide;
      for (int other = 0; other < halves.other_size; ++other) {
        for (int i = 0; i < count_from(other); ++i) {
          const int at = 2 * in.at(other, 0) + (other % 2 == 0 ? i : 2 * i);
          expected_wide[static_cast<std::size_t>(at)] = cell(halves.world(other), halves.rank, i);
        }
      }
      either(
          blocking,
          [&] {
            return MPI_Alltoallw(data.data(), out.counts.data(), out_bytes.data(), out_types.data(),
                                 wide.data(), in.counts.data(), in_bytes.data(), in_types.data(),
                                 halves.inter);
          },
          [&](MPI_Request* request) {
            return MPI_Ialltoallw(data.data(), out.counts.data(), out_bytes.data(),
                                  out_types.data(), wide.data(), in.counts.data(), in_bytes.data(),
                                  in_types.data(), halves.inter, request);
          });
      EXPECT_EQ(wide, expected_wide);
      MPI_Type_free(&resized);
    }
  });
}

TEST_P(Intercommunicator, WrongArgumentsOfParts) {
  on_halves([](const Halves& halves) {
    MPI_Comm_set_errhandler(halves.inter, MPI_ERRORS_RETURN);
    const auto n = static_cast<std::size_t>(halves.other_size);
    std::vector<int> data(n), counts(n, 1), places(n, 0), wrong(n, -1);
    const int root = halves.low ? MPI_ROOT : halves.other_size;
    EXPECT_EQ(
        MPI_Gatherv(data.data(), 1, MPI_INT, data.data(), halves.low ? nullptr : counts.data(),
                    places.data(), MPI_INT, root, halves.inter),
        halves.low ? MPI_ERR_ARG : MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Scatterv(data.data(), wrong.data(), places.data(), MPI_INT, data.data(), 1,
                           MPI_INT, root, halves.inter),
              halves.low ? MPI_ERR_COUNT : MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Allgatherv(MPI_IN_PLACE, 1, MPI_INT, data.data(), counts.data(), places.data(),
                             MPI_INT, halves.inter),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(MPI_IN_PLACE, counts.data(), places.data(), MPI_INT, data.data(),
                            counts.data(), places.data(), MPI_INT, halves.inter),
              MPI_ERR_BUFFER);
    const std::vector<MPI_Datatype> types(n, MPI_DATATYPE_NULL);
    EXPECT_EQ(MPI_Alltoallw(data.data(), counts.data(), places.data(), types.data(), data.data(),
                            counts.data(), places.data(), types.data(), halves.inter),
              MPI_ERR_TYPE);
  });
}

TEST_P(Intercommunicator, CollectivesOfAll) {
  on_halves([](const Halves& halves) {
    for (const bool blocking : {true, false}) {
      MPI_Request request = MPI_REQUEST_NULL;
      const auto finish = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
      const int others = halves.other_size;
      const auto n = static_cast<std::size_t>(others);
      if (blocking) {
        MPI_Barrier(halves.inter);
      } else {
        MPI_Ibarrier(halves.inter, &request);
        finish();
      }
      int sum = 0;
      if (blocking) {
        MPI_Allreduce(&halves.rank, &sum, 1, MPI_INT, MPI_SUM, halves.inter);
      } else {
        MPI_Iallreduce(&halves.rank, &sum, 1, MPI_INT, MPI_SUM, halves.inter, &request);
        finish();
      }
      int expected_sum = 0;
      std::vector<int> expected;
      for (int other = 0; other < others; ++other) {
        expected_sum += halves.world(other);
        expected.push_back(halves.world(other));
      }
      EXPECT_EQ(sum, expected_sum);
      std::vector<int> all(n, -1);
      if (blocking) {
        MPI_Allgather(&halves.rank, 1, MPI_INT, all.data(), 1, MPI_INT, halves.inter);
      } else {
        MPI_Iallgather(&halves.rank, 1, MPI_INT, all.data(), 1, MPI_INT, halves.inter, &request);
        finish();
      }
      EXPECT_EQ(all, expected);
      // Rank i of a group gives i + 1 elements.
      std::vector<int> counts, places, expected_v,
          mine(static_cast<std::size_t>(halves.own_rank + 1), halves.rank);
      for (int other = 0; other < others; ++other) {
        counts.push_back(other + 1);
        places.push_back(static_cast<int>(expected_v.size()));
        expected_v.insert(expected_v.end(), static_cast<std::size_t>(other + 1),
                          halves.world(other));
      }
      std::vector<int> all_v(expected_v.size(), -1);
      MPI_Allgatherv(mine.data(), halves.own_rank + 1, MPI_INT, all_v.data(), counts.data(),
                     places.data(), MPI_INT, halves.inter);
      EXPECT_EQ(all_v, expected_v);
      std::vector<int> out, in(n, -1), want;
      for (int other = 0; other < others; ++other) {
        out.push_back(cell(halves.rank, halves.world(other), 0));
        want.push_back(cell(halves.world(other), halves.rank, 0));
      }
      if (blocking) {
        MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, halves.inter);
      } else {
        MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, halves.inter, &request);
        finish();
      }
      EXPECT_EQ(in, want);
      // Each group's reduction is spread over the other: own_size * other_size elements.
      std::vector<int> vector(static_cast<std::size_t>(halves.own_size * others));
      std::iota(vector.begin(), vector.end(), halves.rank);
      std::vector<int> scattered(n, -1);
      MPI_Reduce_scatter_block(vector.data(), scattered.data(), others, MPI_INT, MPI_SUM,
                               halves.inter);
      for (int i = 0; i < others; ++i) {
        EXPECT_EQ(scattered[static_cast<std::size_t>(i)],
                  expected_sum + others * (halves.own_rank * others + i));
      }
    }
    MPI_Comm_set_errhandler(halves.inter, MPI_ERRORS_RETURN);
    int in = 1, out = 0;
    EXPECT_EQ(MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, halves.inter), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Bcast(&in, 1, MPI_INT, halves.other_size, halves.inter), MPI_ERR_ROOT);
    const int dims[] = {1}, periods[] = {0};
    MPI_Comm grid;
    EXPECT_EQ(MPI_Cart_create(halves.inter, 1, dims, periods, 0, &grid), MPI_ERR_COMM);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Intercommunicator, ::testing::Values(2, 3, 4, 5, 8, 13));

TEST(Intercommunicators, WrongArguments) {
  run_mpi(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm made;
    int value = 0;
    EXPECT_EQ(MPI_Comm_remote_size(MPI_COMM_WORLD, &value), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 2, MPI_COMM_WORLD, 0, 0, &made), MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 2, 0, &made), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, -4, &made),
              MPI_ERR_TAG);
  });
}

class Later : public ::testing::TestWithParam<int> {};

TEST_P(Later, ManyDuplicatesInAnyOrder) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    MPI_Comm first, second, blocking;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &second);
    std::array<MPI_Comm, 4> made{};
    std::array<MPI_Request, 4> requests{};
    // Ranks start those of different parents in different orders, and block in between.
    if (rank % 2 == 0) MPI_Comm_idup(second, &made[1], &requests[1]);
    MPI_Comm_idup(first, &made[0], &requests[0]);
    if (rank % 3 == 0) MPI_Comm_idup(MPI_COMM_SELF, &made[2], &requests[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &blocking);
    if (rank % 3 != 0) MPI_Comm_idup(MPI_COMM_SELF, &made[2], &requests[2]);
    if (rank % 2 != 0) MPI_Comm_idup(second, &made[1], &requests[1]);
    MPI_Comm_idup(first, &made[3], &requests[3]);
    MPI_Comm_free(&first);  // what is under way goes on
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    std::set<std::uint32_t> contexts{
        this_rank_or_null()->communicators().named(blocking).context,
        this_rank_or_null()->communicators().named(second).context,
    };
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_TRUE(
          contexts.insert(this_rank_or_null()->communicators().named(made[i]).context).second);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made[i]);
      EXPECT_EQ(sum, i == 2 ? rank : size * (size - 1) / 2);
      MPI_Comm_free(&made[i]);
    }
    MPI_Comm_free(&blocking);
    MPI_Comm_free(&second);
  });
}

TEST_P(Later, GroupsOfTheirOwn) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    // Overlapping neighbours one after another, then halves at once, without the others.
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int low = 0; low + 1 < size; ++low) {
      if (rank != low && rank != low + 1) continue;
      const std::array<int, 2> pair{low + 1, low};
      MPI_Group group;
      MPI_Group_incl(world, 2, pair.data(), &group);
      MPI_Comm made;
      ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &made), MPI_SUCCESS);
      int new_rank = -1, sum = 0;
      MPI_Comm_rank(made, &new_rank);
      EXPECT_EQ(new_rank, low + 1 - rank);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
      EXPECT_EQ(sum, 2 * low + 1);
      MPI_Comm_free(&made);
      MPI_Group_free(&group);
    }
    MPI_Comm none = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 0, &none), MPI_SUCCESS);
    EXPECT_EQ(none, MPI_COMM_NULL);
    MPI_Group_free(&world);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Later, ::testing::ValuesIn(world_sizes));

TEST(CommunicatorInfo, GoesToDuplicatesOrIsReplaced) {
  run_mpi(2, [](int) {
    const auto value_in = [](MPI_Comm comm) {
      MPI_Info used;
      char text[20] = "";
      int flag = 0;
      EXPECT_EQ(MPI_Comm_get_info(comm, &used), MPI_SUCCESS);
      MPI_Info_get(used, "hint", 19, text, &flag);
      MPI_Info_free(&used);
      return std::string(flag != 0 ? text : "none");
    };
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "hint", "one");
    MPI_Comm first, second, third, fourth;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    EXPECT_EQ(value_in(first), "none");
    MPI_Comm_set_info(first, info);
    MPI_Info_set(info, "hint", "two");
    MPI_Comm_dup(first, &second);
    MPI_Comm_dup_with_info(first, info, &third);
    MPI_Comm_dup_with_info(first, MPI_INFO_NULL, &fourth);
    EXPECT_EQ(value_in(first), "one");
    EXPECT_EQ(value_in(second), "one");
    EXPECT_EQ(value_in(third), "two");
    EXPECT_EQ(value_in(fourth), "none");
    MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_set_info(first, MPI_INFO_NULL), MPI_ERR_INFO);
    for (MPI_Comm* each : {&first, &second, &third, &fourth}) MPI_Comm_free(each);
    MPI_Info_free(&info);
  });
}

}  // namespace
}  // namespace netmod::testing
