// Reductions whose messages meet: sums that are combined where they lie.
#include <cmath>
#include <random>

#include "tests/netmod/job_support.h"

namespace castor_test {
namespace {

std::vector<long> addends(int rank, int count) {
  std::vector<long> made;
  for (int i = 0; i < count; ++i) made.push_back(element(rank, i) << (8 * (rank % 4)));
  return made;
}

void check_allreduce(int rank, int size, int count) {
  std::vector<long> expected(static_cast<std::size_t>(count));
  for (int other = 0; other < size; ++other) {
    const std::vector<long> part = addends(other, count);
    for (std::size_t i = 0; i < part.size(); ++i) expected[i] += part[i];
  }
  const std::vector<long> in = addends(rank, count);
  std::vector<long> out(in.size(), -1);
  MPI_Allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(out, expected) << count << " elements on rank " << rank;
  EXPECT_EQ(in, addends(rank, count));
}

/// Elements of two E0 messages, an E1 and an R0.
const std::vector<int> addend_counts{1, 128, 900, 3000};

// A rank's sum waits for a mailbox credit behind other messages, and its partner's comes meanwhile:
// what leaves must be what it was.
TEST(Reduction, ASumThatHasNotLeftYetStaysAsItIs) {
  for (const int per_node : {1, 2}) {
    auto request = with(small_job(4, per_node), "CASTOR_SMSG_CREDITS", "1");
    request = with(request, "CASTOR_COLLECTIVES", "allreduce recursive_doubling");
    run_mpi(request, [&](int rank) {
      constexpr int messages = 12;
      for (const int count : addend_counts) {
        const int partner = rank ^ 1;
        std::vector<MPI_Request> requests(messages, MPI_REQUEST_NULL);
        if (rank % 2 == 0) {
          for (auto& one : requests) {
            MPI_Isend(&messages, 1, MPI_INT, partner, 1, MPI_COMM_WORLD, &one);
          }
        }
        check_allreduce(rank, 4, count);
        std::vector<int> received(messages);
        for (int i = 0; i < messages && rank % 2 != 0; ++i) {
          MPI_Irecv(&received[static_cast<std::size_t>(i)], 1, MPI_INT, partner, 1, MPI_COMM_WORLD,
                    &requests[static_cast<std::size_t>(i)]);
        }
        MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
      }
    });
  }
}

/// Adds ints, as a type's extent says where they are.
void add_by_extent(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lowest = 0, extent = 0;
  MPI_Type_get_extent(*type, &lowest, &extent);
  const auto step = static_cast<std::size_t>(extent) / sizeof(int);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*length); ++i) {
    static_cast<int*>(inout)[i * step] += static_cast<int*>(in)[i * step];
  }
}

// A pass of whichever thread takes the steps of a non-blocking reduction: its function may call
// MPI.
TEST(Reduction, TheFunctionOfANonBlockingOneMayCallMpi) {
  for (const Design design : all_designs) {
    for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE}) {
      SCOPED_TRACE(testing::Message() << name_of(design) << ", level " << level);
      const auto request =
          with(with_design(small_job(4, 2), design), "MPICH_MAX_THREAD_SAFETY", "multiple");
      const auto body = [](int rank) {
        MPI_Op add = MPI_OP_NULL;
        MPI_Op_create(add_by_extent, 1, &add);
        for (const int count : {1, 900, 60000}) {
          const std::vector<int> in(static_cast<std::size_t>(count), rank + 1);
          std::vector<int> out(in.size(), -1);
          MPI_Request reduction = MPI_REQUEST_NULL;
          MPI_Iallreduce(in.data(), out.data(), count, MPI_INT, add, MPI_COMM_WORLD, &reduction);
          if (rank == 1) compute_us(50);
          MPI_Wait(&reduction, MPI_STATUS_IGNORE);
          EXPECT_EQ(out, std::vector<int>(in.size(), 1 + 2 + 3 + 4)) << count;
        }
        MPI_Op_free(&add);
      };
      run_mpi(request, body, level);
    }
  }
}

// Who comes late finds the others' sums in its queue of unexpected messages; who is early has its
// receive posted.
TEST(Reduction, InAnyOrderOfArrival) {
  constexpr int size = 6;
  for (const Design design : all_designs) {
    for (const int per_node : {1, 3}) {
      SCOPED_TRACE(testing::Message() << name_of(design) << ", -N " << per_node);
      run_mpi(with_design(small_job(size, per_node), design), [&](int rank) {
        std::mt19937 random(static_cast<unsigned>(rank));
        for (int round = 0; round < 12; ++round) {
          compute(corespec::Time::microseconds(random() % 40));
          for (const int count : addend_counts) check_allreduce(rank, size, count);
          const std::vector<long> mine = addends(rank, 128);
          std::vector<long> sum(mine.size(), -1);
          const int root = round % size;
          MPI_Reduce(mine.data(), sum.data(), 128, MPI_LONG, MPI_BOR, root, MPI_COMM_WORLD);
          for (int i = 0; i < 128; ++i) {
            long expected = -1;
            if (rank == root) {
              expected = 0;
              for (int other = 0; other < size; ++other) {
                expected |= addends(other, i + 1).back();
              }
            }
            EXPECT_EQ(sum[static_cast<std::size_t>(i)], expected);
          }
          EXPECT_EQ(mine, addends(rank, 128));
        }
      });
    }
  }
}

// Of equal values a maximum is the first operand: the sign of a zero tells whose it is.
TEST(Reduction, OperandsKeepTheOrderOfRanks) {
  for (const int size : {2, 3, 5, 8}) {
    for (const char* way :
         {"allreduce recursive_doubling",
          "allreduce two_level in=all; allreduce recursive_doubling; reduce binomial"}) {
      for (int first = 0; first < 2; ++first) {
        run_mpi(with(small_job(size, 2), "CASTOR_COLLECTIVES", way), [&](int rank) {
          for (const int count : {1, 100, 3000}) {
            const double mine = (rank == 0) == (first == 0) ? 0.0 : -0.0;
            const std::vector<double> in(static_cast<std::size_t>(count), mine);
            std::vector<double> out(in.size(), 1);
            for (const MPI_Op op : {MPI_MAX, MPI_MIN}) {
              MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, op, MPI_COMM_WORLD);
              for (const double one : out) EXPECT_EQ(std::signbit(one), first != 0) << way;
            }
          }
        });
      }
    }
  }
}

TEST(Reduction, AnotherCountIsAnErrorAndWritesNothing) {
  run_mpi(small_job(2), [&](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int count = rank == 0 ? 2 : 6;
    const std::vector<long> in(8, 7);
    std::vector<long> out(8, -1);
    EXPECT_EQ(MPI_Allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD),
              MPI_ERR_TRUNCATE);
    for (int i = count; i < 8; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], -1);
  });
}

}  // namespace
}  // namespace castor_test
