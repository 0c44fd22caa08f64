// Non-blocking collectives: what the blocking ones give, several at once, in any order of waits.
#include <array>
#include <numeric>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// Element `index` of what rank `from` has for rank `to`.
std::vector<int> cells(int from, int to, int count) {
  std::vector<int> result;
  for (int i = 0; i < count; ++i) result.push_back(cell(from, to, i));
  return result;
}

/// What every rank has for everybody, rank after rank.
std::vector<int> all_cells(int from, int size, int count) {
  std::vector<int> result;
  for (int to = 0; to < size; ++to) {
    const auto part = cells(from, to, count);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

/// What everybody has for `to`.
std::vector<int> received_by(int to, int size, int count) {
  std::vector<int> result;
  for (int from = 0; from < size; ++from) {
    const auto part = cells(from, to, count);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

void wait(MPI_Request& request) {
  MPI_Status status;
  ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
}

class Nonblocking : public ::testing::TestWithParam<int> {};

TEST_P(Nonblocking, BarrierIsCompleteWhenAllHaveCalledIt) {
  const int size = GetParam();
  std::vector<double> entered(static_cast<std::size_t>(size)), left(entered);
  run_mpi(size, [&](int rank) {
    corespec::this_thread().charge(corespec::Time::microseconds(10 * ((rank * 7) % size)));
    entered[static_cast<std::size_t>(rank)] = MPI_Wtime();
    MPI_Request request;
    ASSERT_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    wait(request);
    left[static_cast<std::size_t>(rank)] = MPI_Wtime();
  });
  const double last = *std::max_element(entered.begin(), entered.end());
  for (const double time : left) EXPECT_GE(time, last);
}

TEST_P(Nonblocking, MovesWhatTheBlockingOnesMove) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    for (const int count : {0, 1, 300, 4000}) {
      const auto n = static_cast<std::size_t>(count);
      const int root = count % size;
      const auto mine = cells(rank, root, count);
      const auto everything = all_cells(rank, size, count);
      MPI_Request request;

      std::vector<int> data = rank == root ? cells(root, root, count) : std::vector<int>(n, -1);
      MPI_Ibcast(data.data(), count, MPI_INT, root, MPI_COMM_WORLD, &request);
      wait(request);
      EXPECT_EQ(data, cells(root, root, count));

      std::vector<int> all(n * static_cast<std::size_t>(size), -1);
      MPI_Igather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, MPI_COMM_WORLD,
                  &request);
      wait(request);
      if (rank == root) {
        EXPECT_EQ(all, received_by(root, size, count));
      }

      std::vector<int> part(n, -1);
      MPI_Iscatter(everything.data(), count, MPI_INT, part.data(), count, MPI_INT, root,
                   MPI_COMM_WORLD, &request);
      wait(request);
      EXPECT_EQ(part, cells(root, rank, count));

      std::fill(all.begin(), all.end(), -1);
      MPI_Iallgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD,
                     &request);
      wait(request);
      EXPECT_EQ(all, received_by(root, size, count));

      std::fill(all.begin(), all.end(), -1);
      MPI_Ialltoall(everything.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD,
                    &request);
      wait(request);
      EXPECT_EQ(all, received_by(rank, size, count));
    }
  });
}

TEST_P(Nonblocking, PartsOfAnySize) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    // Rank i has i + 1 elements; a gap of one between parts.
    std::vector<int> counts, places;
    int end = 0;
    for (int i = 0; i < size; ++i) {
      counts.push_back(i + 1);
      places.push_back(end);
      end += i + 2;
    }
    const auto room = static_cast<std::size_t>(end);
    const auto expected = [&](const auto& value) {
      std::vector<int> result(room, -1);
      for (int i = 0; i < size; ++i) {
        for (int k = 0; k <= i; ++k)
          result[static_cast<std::size_t>(places[static_cast<std::size_t>(i)] + k)] = value(i, k);
      }
      return result;
    };
    const int root = size - 1;
    const auto mine = cells(rank, 0, rank + 1);
    MPI_Request request;
    std::vector<int> all(room, -1);
    MPI_Igatherv(mine.data(), rank + 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                 root, MPI_COMM_WORLD, &request);
    // Counts and displacements may change at once.
    std::vector<int> kept_counts = counts, kept_places = places;
    std::fill(counts.begin(), counts.end(), -5);
    wait(request);
    counts = kept_counts;
    if (rank == root) {
      EXPECT_EQ(all, expected([](int i, int k) { return cell(i, 0, k); }));
    }

    std::fill(all.begin(), all.end(), -1);
    MPI_Iallgatherv(mine.data(), rank + 1, MPI_INT, all.data(), counts.data(), places.data(),
                    MPI_INT, MPI_COMM_WORLD, &request);
    wait(request);
    const auto gathered = expected([](int i, int k) { return cell(i, 0, k); });
    EXPECT_EQ(all, gathered);

    std::vector<int> part(static_cast<std::size_t>(rank + 1), -1);
    MPI_Iscatterv(gathered.data(), counts.data(), places.data(), MPI_INT, part.data(), rank + 1,
                  MPI_INT, root, MPI_COMM_WORLD, &request);
    wait(request);
    EXPECT_EQ(part, mine);
  });
}

/// Everybody sends i + 1 elements to rank i, each part with the datatype `type_of(i)`.
TEST_P(Nonblocking, EveryRankWithADatatypeOfItsOwn) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    // To rank i go i + 1 ints, two apart; from rank i come rank + 1 ints without gaps.
    MPI_Datatype spread;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    std::vector<int> out_counts, out_places, in_counts, in_places;
    std::vector<MPI_Datatype> out_types, in_types;
    std::vector<int> out;
    for (int i = 0; i < size; ++i) {
      out_counts.push_back(i + 1);
      out_places.push_back(static_cast<int>(out.size() * sizeof(int)));
      out_types.push_back(spread);
      for (int k = 0; k <= i; ++k) {
        out.push_back(cell(rank, i, k));
        out.push_back(-7);
      }
      in_counts.push_back(rank + 1);
      in_places.push_back(static_cast<int>(sizeof(int)) * i * (rank + 1));
      in_types.push_back(MPI_INT);
    }
    const auto room = static_cast<std::size_t>(size * (rank + 1));
    std::vector<int> in(room, -1);
    MPI_Alltoallw(out.data(), out_counts.data(), out_places.data(), out_types.data(), in.data(),
                  in_counts.data(), in_places.data(), in_types.data(), MPI_COMM_WORLD);
    EXPECT_EQ(in, received_by(rank, size, rank + 1));

    std::fill(in.begin(), in.end(), -1);
    MPI_Request request;
    MPI_Ialltoallw(out.data(), out_counts.data(), out_places.data(), out_types.data(), in.data(),
                   in_counts.data(), in_places.data(), in_types.data(), MPI_COMM_WORLD, &request);
    MPI_Type_free(&spread);  // still in use by the request
    wait(request);
    EXPECT_EQ(in, received_by(rank, size, rank + 1));

    std::vector<int> equal(static_cast<std::size_t>(size)), back(equal);
    for (int i = 0; i < size; ++i) equal[static_cast<std::size_t>(i)] = cell(rank, i, 0);
    const std::vector<int> ones(static_cast<std::size_t>(size), 1);
    std::vector<int> places(static_cast<std::size_t>(size));
    std::iota(places.begin(), places.end(), 0);
    MPI_Ialltoallv(equal.data(), ones.data(), places.data(), MPI_INT, back.data(), ones.data(),
                   places.data(), MPI_INT, MPI_COMM_WORLD, &request);
    wait(request);
    EXPECT_EQ(back, received_by(rank, size, 1));
    MPI_Ialltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, equal.data(), ones.data(),
                   places.data(), MPI_INT, MPI_COMM_WORLD, &request);
    wait(request);
    EXPECT_EQ(equal, received_by(rank, size, 1));
  });
}

/// 2 x 2 matrices modulo a prime: associative, not commutative.
void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  constexpr std::int64_t prime = 1'000'003;
  for (int i = 0; i < *count; ++i) {
    const auto* a = static_cast<const std::int64_t*>(in) + 4 * i;
    auto* b = static_cast<std::int64_t*>(inout) + 4 * i;
    const std::array<std::int64_t, 4> product{
        (a[0] * b[0] + a[1] * b[2]) % prime, (a[0] * b[1] + a[1] * b[3]) % prime,
        (a[2] * b[0] + a[3] * b[2]) % prime, (a[2] * b[1] + a[3] * b[3]) % prime};
    std::copy(product.begin(), product.end(), b);
  }
}

std::array<std::int64_t, 4> matrix_of(int rank) { return {rank + 2, 3, 5 * rank + 1, 7}; }

std::array<std::int64_t, 4> product_of(int first, int end) {
  std::array<std::int64_t, 4> result = matrix_of(end - 1);
  int one = 1;
  MPI_Datatype none = MPI_DATATYPE_NULL;
  for (int rank = end - 2; rank >= first; --rank) {
    auto left = matrix_of(rank);
    multiply(left.data(), result.data(), &one, &none);
  }
  return result;
}

TEST_P(Nonblocking, ReductionsKeepTheOrderOfRanks) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    MPI_Datatype matrix;
    MPI_Type_contiguous(4, MPI_INT64_T, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op product;
    MPI_Op_create(multiply, 0, &product);
    const int root = size / 2;
    const auto mine = matrix_of(rank);
    std::array<std::int64_t, 4> reduced{}, everywhere{}, upto{}, before{};
    std::vector<std::array<std::int64_t, 4>> many(static_cast<std::size_t>(size), mine);
    std::array<std::int64_t, 4> scattered{}, scattered_too{};
    const std::vector<int> ones(static_cast<std::size_t>(size), 1);
    std::array<MPI_Request, 6> requests{};
    MPI_Ireduce(mine.data(), reduced.data(), 1, matrix, product, root, MPI_COMM_WORLD,
                &requests[0]);
    MPI_Iallreduce(mine.data(), everywhere.data(), 1, matrix, product, MPI_COMM_WORLD,
                   &requests[1]);
    MPI_Iscan(mine.data(), upto.data(), 1, matrix, product, MPI_COMM_WORLD, &requests[2]);
    MPI_Iexscan(mine.data(), before.data(), 1, matrix, product, MPI_COMM_WORLD, &requests[3]);
    MPI_Ireduce_scatter_block(many.data(), scattered.data(), 1, matrix, product, MPI_COMM_WORLD,
                              &requests[4]);
    MPI_Ireduce_scatter(many.data(), scattered_too.data(), ones.data(), matrix, product,
                        MPI_COMM_WORLD, &requests[5]);
    MPI_Op_free(&product);  // still in use by the requests, like the datatype
    MPI_Type_free(&matrix);
    ASSERT_EQ(MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    if (rank == root) {
      EXPECT_EQ(reduced, product_of(0, size));
    }
    EXPECT_EQ(everywhere, product_of(0, size));
    EXPECT_EQ(upto, product_of(0, rank + 1));
    if (rank > 0) {
      EXPECT_EQ(before, product_of(0, rank));
    }
    EXPECT_EQ(scattered, product_of(0, size));
    EXPECT_EQ(scattered_too, product_of(0, size));
  });
}

TEST_P(Nonblocking, ManyUnderWayAreWaitedForInAnyOrder) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    constexpr int several = 12;
    std::vector<MPI_Request> requests(several);
    std::vector<int> sums(several), given(several);
    std::vector<std::vector<int>> sent(several);
    for (int i = 0; i < several; ++i) {
      const auto at = static_cast<std::size_t>(i);
      given[at] = rank + i;
      if (i % 3 == 2) {
        sent[at] = rank == i % size ? cells(i, 0, 2000) : std::vector<int>(2000, -1);
        MPI_Ibcast(sent[at].data(), 2000, MPI_INT, i % size, MPI_COMM_WORLD, &requests[at]);
      } else {
        MPI_Iallreduce(&given[at], &sums[at], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[at]);
      }
      if (i == 5) MPI_Barrier(MPI_COMM_WORLD);  // blocking ones go in between
    }
    // Each rank in an order of its own.
    for (int done = 0; done < several; ++done) {
      const int i = (done * 5 + rank) % several;
      const auto at = static_cast<std::size_t>(i);
      int flag = 0;
      while (flag == 0) {
        ASSERT_EQ(MPI_Test(&requests[at], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        corespec::this_thread().charge(corespec::Time::nanoseconds(100));
      }
      if (i % 3 == 2) {
        EXPECT_EQ(sent[at], cells(i, 0, 2000));
      } else {
        EXPECT_EQ(sums[at], size * i + size * (size - 1) / 2);
      }
    }
  });
}

TEST_P(Nonblocking, OneAmongMessages) {
  const int size = GetParam();
  run_mpi(size, [&](int rank) {
    std::array<MPI_Request, 3> requests{};
    int sum = 0;
    int from_left = -1;
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&from_left, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[2]);
    for (int i = 0; i < 3; ++i) {
      int index = -1;
      ASSERT_EQ(MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
      ASSERT_TRUE(index >= 0 && index < 3);
    }
    EXPECT_EQ(sum, size * (size - 1) / 2);
    EXPECT_EQ(from_left, from);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Nonblocking, ::testing::ValuesIn(world_sizes));

TEST(NonblockingErrors, AreThoseOfTheCall) {
  run_mpi(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 1;
    int result = 0;
    EXPECT_EQ(MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Ibcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Iallreduce(&value, &result, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD, &request),
              MPI_ERR_OP);
    EXPECT_EQ(MPI_Ibarrier(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    ASSERT_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST(NonblockingErrors, ARefusedCallLeavesTheNextOnesInStep) {
  run_mpi(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request request = MPI_REQUEST_NULL;
    int value = rank;
    if (rank == 1) {
      EXPECT_EQ(MPI_Ibcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    }
    int sum = 0;
    ASSERT_EQ(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
  });
}

TEST(NonblockingErrors, DifferentSizesEndWithTheRequest) {
  run_mpi(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, 2> data{};
    MPI_Request request;
    MPI_Ibcast(data.data(), rank == 0 ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Status status;
    const int code = MPI_Wait(&request, &status);
    EXPECT_EQ(code, rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

}  // namespace
}  // namespace netmod::testing
