// Accumulates: results of every operation, atomicity under contention, order.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/netmod/window_support.h"
#include "ugni_emu/rma/rma_port.h"

namespace castor_test {
namespace {

/// A window over some values at each rank, all in one epoch of MPI_Win_lock_all.
template <class Value>
class Values {
 public:
  explicit Values(std::vector<Value> values) : values_(std::move(values)) {
    values_.reserve(values_.size() + rma::RmaPort::granule);  // GETs read whole words
    MPI_Win_create(values_.data(), static_cast<MPI_Aint>(values_.size() * sizeof(Value)),
                   sizeof(Value), MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
    MPI_Win_lock_all(0, window_);
  }
  ~Values() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  MPI_Win get() const { return window_; }
  /// When everybody's accumulates have taken place.
  const std::vector<Value>& settled() const {
    MPI_Win_flush_all(window_);
    MPI_Barrier(MPI_COMM_WORLD);
    return values_;
  }

 private:
  std::vector<Value> values_;
  MPI_Win window_ = MPI_WIN_NULL;
};

template <class Value>
void every_operation(MPI_Datatype type, const std::vector<MPI_Op>& operations) {
  run_mpi(small_job(3, 2), [&](int rank) {
    static constexpr std::size_t count = 37;
    std::mt19937 random(static_cast<unsigned>(rank) + 5);
    for (const MPI_Op op : operations) {
      const auto draw = [&random] {
        std::vector<Value> values(count);
        for (Value& value : values) value = static_cast<Value>(random() % 7);
        return values;
      };
      const std::vector<Value> start = draw(), own = draw();
      Values<Value> window(start);
      MPI_Barrier(MPI_COMM_WORLD);
      // Rank 0 changes rank 2's, and gets what was there.
      std::vector<Value> before(count), expected(count), second(own);
      MPI_Send(start.data(), count, type, (rank + 1) % 3, 1, MPI_COMM_WORLD);
      MPI_Recv(before.data(), count, type, (rank + 2) % 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const int target = (rank + 2) % 3;
      if (op == MPI_REPLACE) {
        expected = own;
      } else if (op == MPI_NO_OP) {
        expected = before;
      } else {
        expected = before;
        MPI_Reduce_local(own.data(), expected.data(), count, type, op);
      }
      std::vector<Value> found(count, Value{99});
      ASSERT_EQ(MPI_Get_accumulate(own.data(), count, type, found.data(), count, type, target, 0,
                                   count, type, op, window.get()),
                MPI_SUCCESS);
      MPI_Win_flush(target, window.get());
      EXPECT_EQ(found, before);
      std::vector<Value> now(count);
      MPI_Get(now.data(), count, type, target, 0, count, type, window.get());
      MPI_Win_flush(target, window.get());
      EXPECT_EQ(now, expected);
      if (op == MPI_NO_OP) continue;
      // Without fetching, on every third element only.
      MPI_Datatype third;
      MPI_Type_vector(count / 3, 1, 3, type, &third);
      MPI_Type_commit(&third);
      MPI_Barrier(MPI_COMM_WORLD);
      ASSERT_EQ(MPI_Accumulate(second.data(), 1, third, target, 0, 1, third, op, window.get()),
                MPI_SUCCESS);
      MPI_Type_free(&third);
      for (std::size_t i = 0; i < count / 3 * 3; i += 3) {
        if (op == MPI_REPLACE) {
          expected[i] = second[i];
        } else {
          MPI_Reduce_local(&second[i], &expected[i], 1, type, op);
        }
      }
      MPI_Win_flush(target, window.get());
      MPI_Get(now.data(), count, type, target, 0, count, type, window.get());
      MPI_Win_flush(target, window.get());
      EXPECT_EQ(now, expected);
    }
  });
}

const std::vector<MPI_Op> arithmetic{MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_REPLACE, MPI_NO_OP};
const std::vector<MPI_Op> on_integers{MPI_SUM,  MPI_PROD, MPI_MAX,     MPI_MIN,
                                      MPI_BAND, MPI_BOR,  MPI_BXOR,    MPI_LAND,
                                      MPI_LOR,  MPI_LXOR, MPI_REPLACE, MPI_NO_OP};

TEST(WindowAccumulate, EveryOperationOnWords) {
  every_operation<std::int64_t>(MPI_INT64_T, on_integers);
}
TEST(WindowAccumulate, EveryOperationOnIntegers) { every_operation<int>(MPI_INT, on_integers); }
TEST(WindowAccumulate, EveryOperationOnBytes) {
  every_operation<std::uint8_t>(MPI_UINT8_T, on_integers);
}
TEST(WindowAccumulate, EveryOperationOnDoubles) { every_operation<double>(MPI_DOUBLE, arithmetic); }

TEST(WindowAccumulate, PairsWithPadding) {
  struct Pair {
    double value;
    int index;
  };
  run_mpi(small_job(4, 2), [](int rank) {
    std::vector<Pair> memory(2, Pair{-1.0, -1});
    MPI_Win window;
    MPI_Win_create(memory.data(), sizeof(Pair) * 2, sizeof(Pair), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window);
    MPI_Win_fence(0, window);
    const Pair own[] = {{1.5 * (rank % 3), rank}, {2.0, rank}};
    MPI_Accumulate(own, 2, MPI_DOUBLE_INT, 0, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
      EXPECT_EQ(memory[0].value, 3.0);
      EXPECT_EQ(memory[0].index, 2);
      EXPECT_EQ(memory[1].index, 0);
    }
    MPI_Win_free(&window);
  });
}

template <class Value>
void counts_exactly(MPI_Datatype type, MPI_Op op) {
  constexpr int ranks = 8, rounds = 12;
  run_mpi(small_job(ranks, 2), [&](int rank) {
    Values<Value> window(std::vector<Value>{0, 0, 0});
    std::vector<Value> found;
    for (int i = 0; i < rounds; ++i) {
      // MPI_MAX of ever higher values leaves the highest; of MPI_SUM each gets a number of its own.
      const Value own = op == MPI_MAX ? static_cast<Value>(i * ranks + rank) : Value{1};
      Value old = -1;
      MPI_Fetch_and_op(&own, &old, type, 0, 1, op, window.get());
      MPI_Win_flush(0, window.get());
      found.push_back(old);
      MPI_Accumulate(&own, 1, type, 0, 2, 1, type, op, window.get());
    }
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    const std::vector<Value>& settled = window.settled();
    const Value last = op == MPI_MAX ? Value{ranks * rounds - 1} : Value{ranks * rounds};
    if (rank == 0) {
      EXPECT_EQ(settled, (std::vector<Value>{0, last, last}));
    }
    if (op == MPI_MAX) return;
    std::vector<Value> all(ranks * rounds);
    MPI_Allgather(found.data(), rounds, type, all.data(), rounds, type, MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    for (int i = 0; i < ranks * rounds; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)], static_cast<Value>(i));
    }
  });
}

TEST(WindowAccumulate, NoSumIsLost) {
  counts_exactly<std::int64_t>(MPI_INT64_T, MPI_SUM);
  counts_exactly<int>(MPI_INT, MPI_SUM);
  counts_exactly<double>(MPI_DOUBLE, MPI_SUM);
}

TEST(WindowAccumulate, NoMaximumIsLost) {
  counts_exactly<std::int64_t>(MPI_INT64_T, MPI_MAX);
  counts_exactly<float>(MPI_FLOAT, MPI_MAX);
}

// Single and bulk operations on the same words, at the same time.
TEST(WindowAccumulate, BulkAndSingleOnesMix) {
  constexpr int words = 50, rounds = 4, ranks = 6;
  run_mpi(small_job(ranks, 2), [](int rank) {
    Values<long> window(std::vector<long>(words, 0));
    const std::vector<long> ones(words, 1);
    for (int i = 0; i < rounds; ++i) {
      if (rank % 2 == 0) {
        MPI_Accumulate(ones.data(), words, MPI_LONG, 0, 0, words, MPI_LONG, MPI_SUM, window.get());
        continue;
      }
      for (int at = 0; at < words; ++at) {
        long old = 0;
        MPI_Fetch_and_op(ones.data(), &old, MPI_LONG, 0, at, MPI_SUM, window.get());
        MPI_Win_flush(0, window.get());
      }
    }
    const std::vector<long>& settled = window.settled();
    if (rank == 0) {
      EXPECT_EQ(settled, std::vector<long>(words, ranks * rounds));
    }
  });
}

template <class Value>
void compares_and_swaps(MPI_Datatype type) {
  constexpr int ranks = 6, rounds = 5;
  run_mpi(small_job(ranks, 2), [&](int rank) {
    Values<Value> window(std::vector<Value>{0, 7});
    // A counter by hand: what is lost is tried again.
    for (int i = 0; i < rounds; ++i) {
      for (Value seen = 0, old = 0;; seen = old) {
        const auto next = static_cast<Value>(seen + 1);
        MPI_Compare_and_swap(&next, &seen, &old, type, 0, 0, window.get());
        MPI_Win_flush(0, window.get());
        if (old == seen) break;
      }
    }
    const Value wrong = 6, none = 0;
    Value old = 0;
    MPI_Compare_and_swap(&none, &wrong, &old, type, 0, 1, window.get());
    MPI_Win_flush(0, window.get());
    EXPECT_EQ(old, Value{7});
    const std::vector<Value>& settled = window.settled();
    if (rank == 0) {
      EXPECT_EQ(settled, (std::vector<Value>{ranks * rounds, 7}));
    }
  });
}

TEST(WindowAccumulate, ComparesAndSwaps) {
  compares_and_swaps<std::int64_t>(MPI_INT64_T);
  compares_and_swaps<int>(MPI_INT);
  compares_and_swaps<std::uint8_t>(MPI_BYTE);
}

// One origin's accumulates on a place follow each other, whatever way each goes.
template <class Value>
void keeps_order(MPI_Datatype type) {
  run_mpi(small_job(2), [&](int rank) {
    Values<Value> window(std::vector<Value>{0});
    if (rank == 0) {
      Value fetched[3] = {};
      const Value values[] = {5, 3, 10, 2, 7};
      MPI_Accumulate(&values[0], 1, type, 1, 0, 1, type, MPI_REPLACE, window.get());  // 5
      MPI_Accumulate(&values[1], 1, type, 1, 0, 1, type, MPI_SUM, window.get());      // 8
      MPI_Accumulate(&values[2], 1, type, 1, 0, 1, type, MPI_MAX, window.get());      // 10
      MPI_Accumulate(&values[3], 1, type, 1, 0, 1, type, MPI_PROD, window.get());     // 20
      MPI_Fetch_and_op(nullptr, &fetched[0], type, 1, 0, MPI_NO_OP, window.get());
      MPI_Fetch_and_op(&values[4], &fetched[1], type, 1, 0, MPI_REPLACE, window.get());
      MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, &fetched[2], 1, type, 1, 0, 1, type,
                         MPI_NO_OP, window.get());
      MPI_Win_flush(1, window.get());
      EXPECT_EQ(fetched[0], Value{20});
      EXPECT_EQ(fetched[1], Value{20});
      EXPECT_EQ(fetched[2], Value{7});
    }
    const std::vector<Value>& settled = window.settled();
    if (rank == 1) {
      EXPECT_EQ(settled[0], Value{7});
    }
  });
}

TEST(WindowAccumulate, OfOneOriginKeepTheirOrder) {
  keeps_order<long>(MPI_LONG);
  keeps_order<int>(MPI_INT);
  keeps_order<double>(MPI_DOUBLE);
}

// Those that the NIC does, under way at the same time, as in a model that does one after the other.
TEST(WindowAccumulate, OfOneOriginByTheNicKeepTheirOrder) {
  run_mpi(small_job(2), [](int rank) {
    constexpr std::size_t words = 3;
    constexpr std::size_t calls = 400;
    Values<std::int64_t> window(std::vector<std::int64_t>(words, 1));
    if (rank == 0) {
      std::mt19937 random(11);
      std::vector<std::int64_t> model(words, 1), operands(calls), compared(calls), fetched(calls),
          expected(calls);
      for (std::size_t i = 0; i < calls; ++i) {
        const std::size_t at = random() % words;
        const auto disp = static_cast<MPI_Aint>(at);
        operands[i] = static_cast<std::int64_t>(random() % 1000);
        compared[i] = random() % 2 == 0 ? model[at] : -1;
        const std::int64_t value = operands[i];
        const auto accumulate = [&](MPI_Op op, std::int64_t becomes) {
          if (random() % 2 == 0) {
            MPI_Accumulate(&operands[i], 1, MPI_INT64_T, 1, disp, 1, MPI_INT64_T, op, window.get());
          } else {
            expected[i] = model[at];
            MPI_Fetch_and_op(&operands[i], &fetched[i], MPI_INT64_T, 1, disp, op, window.get());
          }
          model[at] = becomes;
        };
        switch (random() % 4) {
          case 0:
            accumulate(MPI_SUM, model[at] + value);
            break;
          case 1:
            accumulate(MPI_BXOR, model[at] ^ value);
            break;
          case 2:
            accumulate(MPI_REPLACE, value);
            break;
          default:
            expected[i] = model[at];
            MPI_Compare_and_swap(&operands[i], &compared[i], &fetched[i], MPI_INT64_T, 1, disp,
                                 window.get());
            if (model[at] == compared[i]) model[at] = value;
        }
      }
      MPI_Win_flush(1, window.get());
      EXPECT_EQ(fetched, expected);
      std::vector<std::int64_t> there(words);
      MPI_Get(there.data(), words, MPI_INT64_T, 1, 0, words, MPI_INT64_T, window.get());
      MPI_Win_flush(1, window.get());
      EXPECT_EQ(there, model);
    }
    window.settled();
  });
}

// A fetch of many words is a GET, whose end is a while after the AMOs behind it could be there.
TEST(WindowAccumulate, AFetchOfManyWordsIsNotOvertaken) {
  constexpr int count = 8192;
  run_mpi(small_job(2), [](int rank) {
    const std::int64_t first = 100, one = 1, replaced = 7, swapped = 9;
    Values<std::int64_t> window(std::vector<std::int64_t>(count, first));
    if (rank == 0) {
      const auto fetch = [&](std::vector<std::int64_t>& words) {
        MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, words.data(), count, MPI_INT64_T, 1, 0,
                           count, MPI_INT64_T, MPI_NO_OP, window.get());
      };
      std::vector<std::int64_t> before(count), between(count), after(count);
      std::int64_t old[2] = {};
      fetch(before);
      MPI_Accumulate(&one, 1, MPI_INT64_T, 1, count - 1, 1, MPI_INT64_T, MPI_SUM, window.get());
      fetch(between);
      MPI_Fetch_and_op(&replaced, &old[0], MPI_INT64_T, 1, count - 1, MPI_REPLACE, window.get());
      fetch(after);
      MPI_Compare_and_swap(&swapped, &replaced, &old[1], MPI_INT64_T, 1, count - 1, window.get());
      MPI_Win_flush(1, window.get());
      EXPECT_EQ(before, std::vector<std::int64_t>(count, first));
      EXPECT_EQ(between.back(), first + 1);
      EXPECT_EQ(old[0], first + 1);
      EXPECT_EQ(after.back(), replaced);
      EXPECT_EQ(old[1], replaced);
    }
    const std::vector<std::int64_t>& settled = window.settled();
    if (rank == 1) {
      EXPECT_EQ(settled.back(), swapped);
    }
  });
}

// More than are put off at a time, some of them on the same elements, by a datatype that is gone.
TEST(WindowAccumulate, ManyUnderTheLock) {
  constexpr int ranks = 3, rounds = 150;
  run_mpi(small_job(ranks, 2), [](int rank) {
    Values<int> window(std::vector<int>(7, 0));
    const int target = (rank + 1) % ranks;
    for (int i = 0; i < rounds; ++i) {
      int own[2] = {i, 1};
      MPI_Datatype apart;
      MPI_Type_vector(2, 1, 1 + i % 3, MPI_INT, &apart);
      MPI_Type_commit(&apart);
      MPI_Accumulate(own, 2, MPI_INT, target, i % 4, 1, apart, MPI_SUM, window.get());
      MPI_Type_free(&apart);
      own[0] = own[1] = 1000000;  // few bytes are the caller's again
    }
    std::vector<int> expected(7, 0);
    for (int i = 0; i < rounds; ++i) {
      expected[static_cast<std::size_t>(i % 4)] += i;
      expected[static_cast<std::size_t>(i % 4 + 1 + i % 3)] += 1;
    }
    EXPECT_EQ(window.settled(), expected);
  });
}

TEST(WindowAccumulate, LongOnesUnderTheLock) {
  run_mpi(small_job(3, 2), [](int rank) {
    constexpr std::size_t count = 5000;
    Values<double> window(std::vector<double>(2 * count, 1.0));
    std::vector<double> own(count);
    std::iota(own.begin(), own.end(), rank);
    for (const int target : {0, 1, 2}) {
      for (const int place : {0, static_cast<int>(count), static_cast<int>(count / 2)}) {
        MPI_Accumulate(own.data(), count, MPI_DOUBLE, target, place, count, MPI_DOUBLE, MPI_SUM,
                       window.get());
      }
    }
    const std::vector<double>& settled = window.settled();
    for (std::size_t i = 0; i < settled.size(); ++i) {
      // Three ranks' sums, by the first two and by the one in the middle.
      double expected = 1.0 + 3.0 * static_cast<double>(i % count) + 3.0;
      if (i >= count / 2 && i < count + count / 2) {
        expected += 3.0 * static_cast<double>(i - count / 2) + 3.0;
      }
      ASSERT_EQ(settled[i], expected) << i;
    }
  });
}

TEST(WindowAccumulate, SideBySideUnderTheLock) {
  if (live_clock()) GTEST_SKIP() << "compares times that repeat";
  run_mpi(small_job(5, 1), [](int rank) {
    Values<double> window(std::vector<double>(4, 0.0));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      const auto time_of = [&window](int targets, int elements) {
        const corespec::Time begin = clock_now();
        for (int target = 1; target <= targets; ++target) {
          for (int element = 0; element < elements; ++element) {
            const double one = 1.0;
            MPI_Accumulate(&one, 1, MPI_DOUBLE, target, element, 1, MPI_DOUBLE, MPI_SUM,
                           window.get());
          }
        }
        MPI_Win_flush_all(window.get());
        return clock_now() - begin;
      };
      time_of(4, 1);  // gets to know the targets
      const corespec::Time alone = time_of(1, 1);
      EXPECT_LT(time_of(4, 1), alone * 2);
      EXPECT_LT(time_of(1, 4), alone * 2);
    }
    const std::vector<double> sums[] = {
        {0, 0, 0, 0}, {4, 1, 1, 1}, {2, 0, 0, 0}, {2, 0, 0, 0}, {2, 0, 0, 0}};
    EXPECT_EQ(window.settled(), sums[rank]);
  });
}

// Words that no AMO can reach are changed under the lock, by everybody.
// What remembers the memory of accumulates goes after what it was registered with.
TEST(WindowAccumulate, AJobEndsThatUsedTheLock) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  const MpiOutcome outcome = run_mpi_unchecked(small_job(3, 2), [](int rank) {
    constexpr std::size_t count = 5000;
    Values<double> window(std::vector<double>(count, 1.0));
    const std::vector<double> own(count, 2.0);
    MPI_Accumulate(own.data(), count, MPI_DOUBLE, (rank + 1) % 3, 0, count, MPI_DOUBLE, MPI_SUM,
                   window.get());
    window.settled();
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  EXPECT_TRUE(outcome.job.end.aborted);
  EXPECT_EQ(outcome.job.end.status, 7) << outcome.errors;
}

TEST(WindowAccumulate, MisalignedWords) {
  constexpr int ranks = 4, rounds = 5;
  run_mpi(small_job(ranks, 2), [](int rank) {
    alignas(8) std::byte memory[24] = {};
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    const std::int64_t one = 1;
    for (int i = 0; i < rounds; ++i) {
      MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 4, 1, MPI_INT64_T, MPI_SUM, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    std::int64_t sum = 0;
    std::memcpy(&sum, memory + 4, sizeof sum);
    EXPECT_EQ(sum, rank == 0 ? ranks * rounds : 0);
    MPI_Win_free(&window);
  });
}

TEST(WindowAccumulate, ByRequest) {
  run_mpi(small_job(2), [](int rank) {
    Values<double> doubles({1.0, 2.0});
    const double own[] = {10.0, 20.0};
    double old[2] = {};
    const int other = 1 - rank;
    MPI_Request request;
    MPI_Raccumulate(own, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, MPI_SUM, doubles.get(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(own, 2, MPI_DOUBLE, old, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE,
                        MPI_REPLACE, doubles.get(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(old[0], 11.0);
    EXPECT_EQ(old[1], 22.0);
    Values<long> longs({1, 2, 3, 4});
    const long add[] = {5, 6};
    long found[4] = {};
    MPI_Datatype even;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &even);
    MPI_Type_commit(&even);
    MPI_Raccumulate(add, 2, MPI_LONG, other, 0, 1, even, MPI_SUM, longs.get(), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(add, 2, MPI_LONG, found, 1, even, other, 0, 1, even, MPI_BXOR, longs.get(),
                        &request);
    MPI_Type_free(&even);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(found[0], 6);
    EXPECT_EQ(found[1], 0);
    EXPECT_EQ(found[2], 9);
    EXPECT_EQ(longs.settled(), (std::vector<long>{6 ^ 5, 2, 9 ^ 6, 4}));
  });
}

}  // namespace
}  // namespace castor_test
