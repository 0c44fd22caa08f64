// Collectives that move data, on worlds of any size, against what the standard says.
#include <numeric>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// Element `index` of what rank `from` has for rank `to`.
class Collectives : public ::testing::TestWithParam<int> {};

TEST_P(Collectives, BarrierHoldsUntilAllAreThere) {
  const int size = GetParam();
  std::vector<double> entered(static_cast<std::size_t>(size)), left(entered);
  run_mpi(size, [&](int rank) {
    corespec::this_thread().charge(corespec::Time::microseconds(10 * ((rank * 7) % size)));
    entered[static_cast<std::size_t>(rank)] = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    left[static_cast<std::size_t>(rank)] = MPI_Wtime();
  });
  const double last = *std::max_element(entered.begin(), entered.end());
  for (const double time : left) EXPECT_GE(time, last);
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int bytes : {0, 1, 1000, 12287, 12288, 40001}) {
      for (int root = 0; root < size; ++root) {
        const auto sent =
            random_bytes(static_cast<std::size_t>(bytes), static_cast<unsigned>(bytes + root));
        std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes), 0);
        if (rank == root) data = sent;
        ASSERT_EQ(MPI_Bcast(data.data(), bytes, MPI_BYTE, root, MPI_COMM_WORLD), MPI_SUCCESS);
        EXPECT_EQ(data, sent);
      }
    }
  });
}

TEST_P(Collectives, GatherAndScatterEveryRoot) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int count : {0, 1, 300}) {
      for (int root = 0; root < size; ++root) {
        std::vector<int> mine(static_cast<std::size_t>(count)), all, back(mine);
        for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(i)] = cell(rank, root, i);
        if (rank == root) all.assign(static_cast<std::size_t>(count * size), -1);
        MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD);
        for (std::size_t i = 0; i < all.size(); ++i) {
          ASSERT_EQ(all[i], cell(static_cast<int>(i) / count, root, static_cast<int>(i) % count));
        }
        MPI_Scatter(all.data(), count, MPI_INT, back.data(), count, MPI_INT, root, MPI_COMM_WORLD);
        EXPECT_EQ(back, mine);
        if (rank == root) {  // in place: the own part is there already, and stays
          MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD);
          for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(all[i], cell(static_cast<int>(i) / count, root, static_cast<int>(i) % count));
          }
          MPI_Scatter(all.data(), count, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, MPI_COMM_WORLD);
        } else {
          MPI_Gather(mine.data(), count, MPI_INT, nullptr, 0, MPI_INT, root, MPI_COMM_WORLD);
          std::fill(back.begin(), back.end(), -1);
          MPI_Scatter(nullptr, 0, MPI_INT, back.data(), count, MPI_INT, root, MPI_COMM_WORLD);
          EXPECT_EQ(back, mine);
        }
      }
    }
  });
}

TEST_P(Collectives, AllgatherBothWays) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int count : {0, 1, 50, 30000}) {
      std::vector<int> mine(static_cast<std::size_t>(count)),
          all(static_cast<std::size_t>(count * size), -1);
      for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(i)] = cell(rank, 0, i);
      MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD);
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], cell(static_cast<int>(i) / count, 0, static_cast<int>(i) % count));
      }
      std::vector<int> again(all.size(), -1);
      std::copy(mine.begin(), mine.end(), again.begin() + rank * count);
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, again.data(), count, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(again, all);
    }
  });
}

TEST_P(Collectives, Alltoall) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int count : {0, 1, 400}) {
      const auto total = static_cast<std::size_t>(count * size);
      std::vector<int> out(total), in(total, -1);
      for (int to = 0; to < size; ++to) {
        for (int i = 0; i < count; ++i)
          out[static_cast<std::size_t>(to * count + i)] = cell(rank, to, i);
      }
      MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, MPI_COMM_WORLD);
      for (std::size_t i = 0; i < total; ++i) {
        ASSERT_EQ(in[i], cell(static_cast<int>(i) / count, rank, static_cast<int>(i) % count));
      }
      MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out.data(), count, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(out, in);
    }
  });
}

TEST_P(Collectives, PartsOfUnequalSize) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    std::vector<int> counts, places;  // rank r has r + 1 elements, one gap between
    for (int r = 0, place = 0; r < size; ++r) {
      counts.push_back(r + 1);
      places.push_back(place);
      place += r + 2;
    }
    const auto total = static_cast<std::size_t>(places.back() + size);
    std::vector<int> mine(static_cast<std::size_t>(rank + 1));
    for (int i = 0; i <= rank; ++i) mine[static_cast<std::size_t>(i)] = cell(rank, 1, i);
    std::vector<int> expected(total, -1);
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i <= r; ++i)
        expected[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)] = cell(r, 1, i);
    }
    const int root = size - 1;
    std::vector<int> all(total, -1), back(mine.size(), -1);
    MPI_Gatherv(mine.data(), rank + 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                root, MPI_COMM_WORLD);
    if (rank == root) {
      EXPECT_EQ(all, expected);
    }
    MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, back.data(), rank + 1, MPI_INT,
                 root, MPI_COMM_WORLD);
    EXPECT_EQ(back, mine);
    std::fill(all.begin(), all.end(), -1);
    MPI_Allgatherv(mine.data(), rank + 1, MPI_INT, all.data(), counts.data(), places.data(),
                   MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(all, expected);
  });
}

TEST_P(Collectives, AlltoallOfUnequalSizes) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    // Rank a sends (a + b) % 3 elements to rank b.
    std::vector<int> counts, places;
    int total = 0;
    for (int other = 0; other < size; ++other) {
      counts.push_back((rank + other) % 3);
      places.push_back(total);
      total += counts.back();
    }
    std::vector<int> out(static_cast<std::size_t>(total)), in(out.size(), -1), expected(out.size());
    for (int other = 0; other < size; ++other) {
      const auto at = static_cast<std::size_t>(other);
      for (int i = 0; i < counts[at]; ++i) {
        out[static_cast<std::size_t>(places[at] + i)] = cell(rank, other, i);
        expected[static_cast<std::size_t>(places[at] + i)] = cell(other, rank, i);
      }
    }
    MPI_Alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), counts.data(),
                  places.data(), MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(in, expected);
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, out.data(), counts.data(), places.data(),
                  MPI_INT, MPI_COMM_WORLD);
    EXPECT_EQ(out, expected);
  });
}

TEST_P(Collectives, DatatypesWithGaps) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    MPI_Datatype pair;  // an int, a gap of one int, an int; the next after another gap
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Datatype spaced;
    MPI_Type_create_resized(pair, 0, 16, &spaced);
    MPI_Type_commit(&spaced);
    std::vector<int> all(static_cast<std::size_t>(4 * size), -1);
    all[static_cast<std::size_t>(4 * rank)] = rank;
    all[static_cast<std::size_t>(4 * rank + 2)] = rank + 100;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), 1, spaced, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(4 * i)], i);
      EXPECT_EQ(all[static_cast<std::size_t>(4 * i + 1)], -1);
      EXPECT_EQ(all[static_cast<std::size_t>(4 * i + 2)], i + 100);
      EXPECT_EQ(all[static_cast<std::size_t>(4 * i + 3)], -1);
    }
    std::vector<int> data(4, rank == 0 ? 7 : -1);
    MPI_Bcast(data.data(), 1, spaced, 0, MPI_COMM_WORLD);
    EXPECT_EQ(data[2], 7);
    EXPECT_EQ(data[3], rank == 0 ? 7 : -1);
    MPI_Type_free(&pair);
    MPI_Type_free(&spaced);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Collectives, ::testing::ValuesIn(world_sizes),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace netmod::testing
