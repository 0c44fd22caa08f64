// Collectives over the modelled network, against what one would compute alone.
#include <cmath>
#include <numeric>

#include "tests/netmod/job_support.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

/// Live, ranks are processes, and wait for each other to get one of the host's CPUs.
const std::vector<int> sizes =
    live_clock() ? std::vector<int>{1, 2, 3, 5, 8} : std::vector<int>{1, 2, 3, 4, 5, 8, 13};
const std::vector<int> counts{0, 1, 7, 1000, 3000, 100000};

/// `body` on every number of ranks, one and several to a node.
void on_all_sizes(const std::function<void(int rank, int size)>& body) {
  for (int size : sizes) {
    for (int per_node : {1, 4}) {
      SCOPED_TRACE(testing::Message() << size << " ranks, -N " << per_node);
      run_mpi(small_job(size, std::min(per_node, size)), [&](int rank) { body(rank, size); });
    }
  }
}

std::int64_t serial(MPI_Op op, int size, int i) {
  std::int64_t result = element(0, i);
  for (int rank = 1; rank < size; ++rank) {
    const std::int64_t next = element(rank, i);
    if (op == MPI_SUM) result += next;
    if (op == MPI_MAX) result = std::max(result, next);
    if (op == MPI_MIN) result = std::min(result, next);
    if (op == MPI_BXOR) result ^= next;
  }
  return result;
}

template <typename Number>
void reduce_everywhere(MPI_Datatype type, const std::vector<MPI_Op>& ops) {
  on_all_sizes([&](int rank, int size) {
    for (int count : counts) {
      for (MPI_Op op : ops) {
        std::vector<Number> in(static_cast<std::size_t>(count)), out(in.size(), Number(-1));
        for (int i = 0; i < count; ++i) {
          in[static_cast<std::size_t>(i)] = static_cast<Number>(element(rank, i));
        }
        const auto holds_result = [&] {
          for (int i = 0; i < count; ++i) {
            const auto expected = static_cast<Number>(serial(op, size, i));
            if (out[static_cast<std::size_t>(i)] != expected) return false;
          }
          return true;
        };
        MPI_Allreduce(in.data(), out.data(), count, type, op, MPI_COMM_WORLD);
        EXPECT_TRUE(holds_result()) << "Allreduce of " << count << " on rank " << rank;
        out = in;
        MPI_Allreduce(MPI_IN_PLACE, out.data(), count, type, op, MPI_COMM_WORLD);
        EXPECT_TRUE(holds_result()) << "Allreduce in place of " << count << " on rank " << rank;
        for (int root : {0, size - 1}) {
          out.assign(in.size(), Number(-1));
          MPI_Reduce(in.data(), out.data(), count, type, op, root, MPI_COMM_WORLD);
          if (rank == root) {
            EXPECT_TRUE(holds_result()) << "Reduce of " << count;
          } else {
            EXPECT_EQ(out, std::vector<Number>(in.size(), Number(-1))) << "not the root's";
          }
          out = in;
          const bool here = rank == root;
          MPI_Reduce(here ? MPI_IN_PLACE : in.data(), here ? out.data() : nullptr, count, type, op,
                     root, MPI_COMM_WORLD);
          EXPECT_TRUE(!here || holds_result()) << "Reduce in place of " << count;
        }
      }
    }
  });
}

TEST(Collective, ReductionsOfDoubles) { reduce_everywhere<double>(MPI_DOUBLE, {MPI_SUM, MPI_MAX}); }

TEST(Collective, ReductionsOfInts) {
  reduce_everywhere<int>(MPI_INT, {MPI_SUM, MPI_MIN, MPI_BXOR});
}

TEST(Collective, ReductionsOfLongs) { reduce_everywhere<long>(MPI_LONG, {MPI_SUM}); }

TEST(Collective, BroadcastFromEveryRoot) {
  on_all_sizes([](int rank, int size) {
    for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{8192},
                              std::size_t{100001}, std::size_t{700000}}) {
      for (int root = 0; root<size; root += bytes> 10000 ? 3 : 1) {
        Buffer buffer(bytes);
        const std::uint64_t seed = bytes + static_cast<std::uint64_t>(root);
        if (rank == root) buffer.fill(seed);
        MPI_Bcast(buffer.data(), static_cast<int>(bytes), MPI_BYTE, root, MPI_COMM_WORLD);
        EXPECT_TRUE(buffer.holds(seed)) << bytes << " bytes from " << root << " on " << rank;
        EXPECT_TRUE(buffer.guards_intact());
      }
    }
  });
}

TEST(Collective, NoRankLeavesABarrierBeforeTheLastHasEntered) {
  for (int size : sizes) {
    for (int per_node : {1, 4}) {
      run_mpi(small_job(size, std::min(per_node, size)), [&](int rank) {
        for (int late = 0; late < size; ++late) {
          if (rank == late) compute_us(100);
          const corespec::Time entered = clock_now();
          MPI_Barrier(MPI_COMM_WORLD);
          const corespec::Time left = clock_now();
          for (const std::int64_t other : gathered(entered.ps())) EXPECT_GE(left.ps(), other);
        }
      });
    }
  }
}

TEST(Collective, DuplicatesDoNotMixMessages) {
  for (int per_node : {1, 2}) {
    run_mpi(small_job(2, per_node), [](int rank) {
      MPI_Comm other;
      MPI_Comm_dup(MPI_COMM_WORLD, &other);
      const int peer = 1 - rank;
      int first = rank * 10 + 1, second = rank * 10 + 2, got_first = 0, got_second = 0;
      MPI_Request requests[2];
      // Same source, same tag; received in the other order.
      MPI_Isend(&first, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&second, 1, MPI_INT, peer, 0, other, &requests[1]);
      MPI_Recv(&got_second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
      MPI_Recv(&got_first, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(got_first, peer * 10 + 1);
      EXPECT_EQ(got_second, peer * 10 + 2);
      MPI_Comm_free(&other);
    });
  }
}

TEST(Collective, AWildcardReceiveTakesNoCollectivesMessage) {
  for (int per_node : {1, 4}) {
    run_mpi(small_job(4, per_node), [](int rank) {
      int got = -1;
      MPI_Request request;
      MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
      for (int root = 0; root < 4; ++root) {
        int value = rank == root ? 100 + root : -1;
        MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
        EXPECT_EQ(value, 100 + root);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      int done = 1;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      EXPECT_EQ(done, 0);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Send(&rank, 1, MPI_INT, (rank + 1) % 4, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, (rank + 3) % 4);
    });
  }
}

TEST(Collective, SplitsWorkSideBySide) {
  on_all_sizes([](int rank, int size) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);  // each in descending order
    int part_rank = -1, part_size = -1;
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    const int members = (size + 1 - rank % 2) / 2;
    EXPECT_EQ(part_size, members);
    EXPECT_EQ(part_rank, members - 1 - rank / 2);
    std::int64_t expected = 0;
    for (int other = rank % 2; other < size; other += 2) expected += other;
    for (int round = 0; round < 5; ++round) {
      const std::int64_t value = rank;
      std::int64_t sum = 0, all = 0;
      MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, part);
      MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(sum, expected);
      EXPECT_EQ(all, std::int64_t{size} * (size - 1) / 2);
    }
    MPI_Comm_free(&part);
  });
}

TEST(Collective, EveryDesignGivesTheSameResults) {
  for (Design design : all_designs) {
    for (int per_node : {1, 3}) {
      run_mpi(with_design(small_job(6, per_node), design), [](int rank) {
        std::vector<double> in(20000, rank + 1.0), out(in.size());
        for (int round = 0; round < 3; ++round) {
          MPI_Allreduce(in.data(), out.data(), 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
          EXPECT_EQ(out, std::vector<double>(out.size(), 21.0));
          compute_us(17.0 * rank);
          MPI_Bcast(out.data(), 20000, MPI_DOUBLE, round, MPI_COMM_WORLD);
          MPI_Barrier(MPI_COMM_WORLD);
        }
      });
    }
  }
}

TEST(Collective, NonBlockingOnesInEveryDesign) {
  for (Design design : all_designs) {
    for (int per_node : {1, 3}) {
      run_mpi(with_design(small_job(6, per_node), design), [](int rank) {
        std::vector<double> in(20000, rank + 1.0), sum(in.size()), sent(in.size(), rank);
        std::vector<std::int64_t> all(6, -1);
        const std::int64_t own = 100 + rank;
        for (int round = 0; round < 3; ++round) {
          MPI_Request requests[4];
          MPI_Iallreduce(in.data(), sum.data(), 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                         &requests[0]);
          MPI_Ibcast(sent.data(), 20000, MPI_DOUBLE, round, MPI_COMM_WORLD, &requests[1]);
          MPI_Iallgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD,
                         &requests[2]);
          MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
          compute_us(17.0 * rank);
          MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
          EXPECT_EQ(sum, std::vector<double>(sum.size(), 21.0));
          EXPECT_EQ(sent, std::vector<double>(sent.size(), round));
          EXPECT_EQ(all, (std::vector<std::int64_t>{100, 101, 102, 103, 104, 105}));
          sent.assign(sent.size(), rank);
        }
      });
    }
  }
}

// A step that receives may find its message announced already, and short enough to be read by FMA.
TEST(Collective, NonBlockingOnesWhoseMessagesAreReadAsTheStepsAreTaken) {
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    const auto request =
        with(with_design(small_job(5), design), "MPICH_GNI_MAX_EAGER_MSG_SIZE", "0");
    run_mpi(request, [](int rank) {
      const std::vector<int> numbers{1, 1, 1, 1, 1}, places{0, 1, 2, 3, 4};
      for (int root = 0; root < 5; ++root) {
        const std::int64_t own = 10 * root + rank;
        std::vector<std::int64_t> gathered(5, -1), gathered_too(5, -1), all(5, -1);
        std::int64_t sum = -1;
        MPI_Request requests[4];
        compute_us(3.0 * ((rank + root) % 5));
        MPI_Igather(&own, 1, MPI_INT64_T, gathered.data(), 1, MPI_INT64_T, root, MPI_COMM_WORLD,
                    &requests[0]);
        MPI_Igatherv(&own, 1, MPI_INT64_T, gathered_too.data(), numbers.data(), places.data(),
                     MPI_INT64_T, root, MPI_COMM_WORLD, &requests[1]);
        MPI_Iallreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
        MPI_Iallgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD,
                       &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        std::vector<std::int64_t> expected(5);
        for (int i = 0; i < 5; ++i) expected[static_cast<std::size_t>(i)] = 10 * root + i;
        EXPECT_EQ(all, expected);
        EXPECT_EQ(sum, 50 * root + 10);
        if (rank != root) expected.assign(5, -1);
        EXPECT_EQ(gathered, expected);
        EXPECT_EQ(gathered_too, expected);
      }
    });
  }
}

TEST(Collective, ANonBlockingOneThatIsNotWaitedForEndsWithTheLibrary) {
  run_mpi(small_job(2), [](int rank) {
    if (rank == 1) return;
    MPI_Request request;
    EXPECT_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS);
  });
}

// Its messages go after the device that had them.
TEST(Collective, NonBlockingOnesThatAnAbortedJobLeaves) {
  const MpiOutcome outcome = run_mpi_unchecked(small_job(3, 2), [](int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> in(300000, rank), sum(in.size());
    MPI_Request requests[2];
    MPI_Iallreduce(in.data(), sum.data(), 300000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    ADD_FAILURE() << "the job should have ended";
  });
  EXPECT_TRUE(outcome.job.end.aborted);
  EXPECT_EQ(outcome.job.end.status, 7) << outcome.errors;
}

}  // namespace
}  // namespace castor_test
