// Neighbourhoods and intercommunicators over the modelled network, and as processes.
#include <numeric>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

/// Large parts between all neighbours of a torus, by both forms; one of them among messages.
TEST(Neighbourhood, ExchangesPartsOfAnySize) {
  for (int count : {1, 600, 40000}) {
    run_mpi(small_job(8, 2), [count](int) {
      const int dims[] = {4, 2}, periods[] = {1, 1};
      MPI_Comm torus;
      MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
      int rank = -1;
      MPI_Comm_rank(torus, &rank);
      const auto n = static_cast<std::size_t>(count);
      std::vector<int> out(4 * n), in(4 * n, -1), later(4 * n, -1), expected(4 * n);
      const auto fill = [&](std::vector<int>& parts, std::size_t part, int from, int what) {
        for (std::size_t i = 0; i < n; ++i) {
          parts[part * n + i] = from * 1000 + what * 100 + static_cast<int>(i % 97);
        }
      };
      for (std::size_t d = 0; d < 2; ++d) {
        int below = -1, above = -1;
        MPI_Cart_shift(torus, static_cast<int>(d), 1, &below, &above);
        const int down = static_cast<int>(2 * d), up = down + 1;
        fill(out, 2 * d, rank, down);
        fill(out, 2 * d + 1, rank, up);
        fill(expected, 2 * d, below, up);
        fill(expected, 2 * d + 1, above, down);
      }
      MPI_Request request;
      MPI_Ineighbor_alltoall(out.data(), count, MPI_INT, later.data(), count, MPI_INT, torus,
                             &request);
      MPI_Neighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, torus);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, expected);
      EXPECT_EQ(later, expected);
      MPI_Comm_free(&torus);
    });
  }
}

/// Two halves, each on nodes of its own, reduce for each other; a duplicate comes meanwhile.
TEST(Neighbourhood, HalvesReduceForEachOther) {
  for (int count : {1, 1000, 50000}) {
    run_mpi(small_job(6, 2), [count](int rank) {
      MPI_Comm own, both, dup;
      MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &own);
      MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 4 ? 4 : 0, 1, &both);
      MPI_Request request;
      MPI_Comm_idup(both, &dup, &request);
      const auto n = static_cast<std::size_t>(count);
      std::vector<int> mine(n), sum(n, -1), expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        mine[i] = rank + static_cast<int>(i);
        expected[i] = rank < 4 ? 4 + 5 + 2 * static_cast<int>(i) : 6 + 4 * static_cast<int>(i);
      }
      MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, both);
      EXPECT_EQ(sum, expected);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      std::fill(sum.begin(), sum.end(), -1);
      MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, dup);
      EXPECT_EQ(sum, expected);
      for (MPI_Comm* each : {&own, &both, &dup}) MPI_Comm_free(each);
    });
  }
}

/// Ranks start duplicates in different orders, and block in between.
TEST(Neighbourhood, DuplicatesUnderWayDoNotWaitForEachOther) {
  run_mpi(small_job(4, 2), [](int rank) {
    MPI_Comm reversed, first, second, blocking;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Request requests[2];
    if (rank % 2 == 0) MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
    MPI_Comm_idup(reversed, &second, &requests[1]);
    MPI_Comm_dup(reversed, &blocking);
    if (rank % 2 != 0) MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Comm each : {first, second, blocking}) {
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, each);
      EXPECT_EQ(sum, 6);
    }
    for (MPI_Comm* each : {&reversed, &first, &second, &blocking}) MPI_Comm_free(each);
  });
}

}  // namespace
}  // namespace castor_test
