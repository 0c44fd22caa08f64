// Epochs of windows: what they order, who waits for whom, what is refused.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "corespec/threads/node.h"
#include "tests/netmod/window_support.h"

namespace castor_test {
namespace {

using corespec::Time;

MPI_Group group_of(const std::vector<int>& ranks) {
  MPI_Group world, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &made);
  MPI_Group_free(&world);
  return made;
}

/// One word at each rank.
struct Word {
  Word() {
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  }
  ~Word() { MPI_Win_free(&window); }
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;
  void put(long what, int target) const {
    MPI_Put(&what, 1, MPI_LONG, target, 0, 1, MPI_LONG, window);
  }
  long value = -1;
  MPI_Win window = MPI_WIN_NULL;
};

TEST(WindowEpoch, PostsOfSeveralTargetsMeetStartsOfSeveralOrigins) {
  run_mpi(small_job(6, 2), [](int rank) {
    constexpr int rounds = 5;
    std::vector<long> memory(6, -1);
    MPI_Win window;
    MPI_Win_create(memory.data(), 6 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window);
    for (int round = 0; round < rounds; ++round) {
      // In turn: even ranks are origins, odd ones targets; then rank r of the two ranks above it.
      if (round % 2 == 0) {
        MPI_Group others =
            group_of(rank % 2 == 0 ? std::vector<int>{1, 3, 5} : std::vector<int>{0, 2, 4});
        if (rank % 2 == 0) {
          compute_us(3 * rank);
          MPI_Win_start(others, 0, window);
          for (const int target : {5, 1, 3}) {
            const long value = 100 * round + rank;
            MPI_Put(&value, 1, MPI_LONG, target, rank, 1, MPI_LONG, window);
          }
          MPI_Win_complete(window);
        } else {
          compute_us(20 - 3 * rank);
          MPI_Win_post(others, 0, window);
          MPI_Win_wait(window);
          for (const std::size_t origin : {0u, 2u, 4u}) {
            EXPECT_EQ(memory[origin], 100 * round + static_cast<long>(origin));
          }
        }
        MPI_Group_free(&others);
        continue;
      }
      MPI_Group above = group_of({(rank + 1) % 6, (rank + 2) % 6});
      MPI_Group below = group_of({(rank + 5) % 6, (rank + 4) % 6});
      MPI_Win_post(below, 0, window);
      MPI_Win_start(above, 0, window);
      const long value = 1000 * round + rank;
      MPI_Put(&value, 1, MPI_LONG, (rank + 1) % 6, rank, 1, MPI_LONG, window);
      MPI_Put(&value, 1, MPI_LONG, (rank + 2) % 6, rank, 1, MPI_LONG, window);
      MPI_Win_complete(window);
      int flag = 0;
      while (flag == 0) MPI_Win_test(window, &flag);
      for (const int origin : {(rank + 5) % 6, (rank + 4) % 6}) {
        EXPECT_EQ(memory[static_cast<std::size_t>(origin)], 1000 * round + origin);
      }
      MPI_Group_free(&above);
      MPI_Group_free(&below);
    }
    MPI_Win_free(&window);
  });
}

TEST(WindowEpoch, AnOriginWaitsForThePostAndATargetForTheEnd) {
  if (live_clock()) GTEST_SKIP() << "about exact times";
  run_mpi(small_job(2), [](int rank) {
    Word word;
    MPI_Group other = group_of({1 - rank});
    MPI_Barrier(MPI_COMM_WORLD);
    const Time begin = clock_now();
    if (rank == 0) {
      MPI_Win_start(other, 0, word.window);
      EXPECT_LT(clock_now() - begin, Time::microseconds(5));  // it need not wait
      word.put(4, 1);
      EXPECT_GT(clock_now() - begin, Time::microseconds(100));
      compute_us(50);
      MPI_Win_complete(word.window);
    } else {
      compute_us(100);
      MPI_Win_post(other, 0, word.window);
      MPI_Win_wait(word.window);
      EXPECT_GT(clock_now() - begin, Time::microseconds(150));
      EXPECT_EQ(word.value, 4);
    }
    MPI_Group_free(&other);
  });
}

TEST(WindowEpoch, WithoutChecksNothingIsSentBefore) {
  run_mpi(small_job(2), [](int rank) {
    Word word;
    MPI_Group other = group_of({1 - rank});
    if (rank == 1) MPI_Win_post(other, MPI_MODE_NOCHECK, word.window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Win_start(other, MPI_MODE_NOCHECK, word.window);
      word.put(4, 1);
      MPI_Win_complete(word.window);
    } else {
      MPI_Win_wait(word.window);
      EXPECT_EQ(word.value, 4);
    }
    MPI_Group_free(&other);
  });
}

// The target computes all the while: it neither helps nor is disturbed.
TEST(WindowEpoch, PassiveTargetsTakeNoPart) {
  if (live_clock()) GTEST_SKIP() << "about exact times";
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    std::vector<Time> stolen(2);
    run_mpi(with_design(small_job(2), design), [&](int rank) {
      Word word;
      MPI_Barrier(MPI_COMM_WORLD);
      const Time begin = clock_now();
      if (rank == 1) {
        const Time before = corespec::this_thread().stolen_time();
        compute_us(1000);
        corespec::this_thread().sync();
        stolen[1] = corespec::this_thread().stolen_time() - before;
        EXPECT_EQ(word.value, 5);
      } else {
        for (long i = 1; i <= 5; ++i) {
          MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, word.window);
          long now = 0;
          MPI_Get(&now, 1, MPI_LONG, 1, 0, 1, MPI_LONG, word.window);
          MPI_Win_flush(1, word.window);
          EXPECT_EQ(now, i == 1 ? -1 : i - 1);
          word.put(i, 1);
          MPI_Win_unlock(1, word.window);
        }
        EXPECT_LT(clock_now() - begin, Time::microseconds(100));
      }
      MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_EQ(stolen[1], Time());
  }
}

// Locks, accumulates and data arrive at a rank that makes no MPI call until they are there.
TEST(WindowEpoch, ATargetThatMakesNoCallSeesWhatArrives) {
  static constexpr std::size_t bytes = 100000;
  run_mpi(small_job(2), [](int rank) {
    TestWindow window(WindowKind::allocate, bytes + 8);
    auto* flag = reinterpret_cast<long*>(window.data() + bytes);
    *flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      Buffer own(bytes);
      own.fill(9);
      const long one = 1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.get());
      MPI_Put(own.data(), bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window.get());
      MPI_Win_flush(1, window.get());
      MPI_Accumulate(&one, 1, MPI_LONG, 1, bytes, 1, MPI_LONG, MPI_SUM, window.get());
      MPI_Win_unlock(1, window.get());
    } else {
      const std::atomic_ref<long> seen(*flag);
      while (seen.load() == 0) {
        compute_us(1);
        clock_now();
      }
      EXPECT_EQ(first_wrong(window.data(), bytes, 9), bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(WindowEpoch, APutOfAMegabyteHidesBehindComputing) {
  if (live_clock()) GTEST_SKIP() << "about exact times";
  constexpr int bytes = 1 << 20;
  run_mpi(small_job(2), [](int rank) {
    TestWindow window(WindowKind::allocate, bytes);
    std::vector<std::byte> own(bytes);
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.get());
      const auto put = [&](Time computing) {
        const Time begin = clock_now();
        MPI_Put(own.data(), bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window.get());
        compute(computing);
        MPI_Win_flush(1, window.get());
        return clock_now() - begin;
      };
      put(Time());  // registers, asks where the window is
      const Time alone = put(Time());
      const Time longer = alone + Time::microseconds(100);
      const Time both = put(longer);
      EXPECT_GT(alone, Time::microseconds(100));
      // All but the posting and the last look.
      EXPECT_LT(both - longer, Time::microseconds(3));
      MPI_Win_unlock(1, window.get());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(WindowEpoch, TransfersOverlapEachOther) {
  if (live_clock()) GTEST_SKIP() << "about exact times";
  run_mpi(small_job(2), [](int rank) {
    Word word;
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, word.window);
      const auto puts = [&word](int count) {
        const Time begin = clock_now();
        for (int i = 0; i < count; ++i) word.put(i, 1);
        MPI_Win_flush(1, word.window);
        return clock_now() - begin;
      };
      puts(1);
      const Time one = puts(1);
      EXPECT_LT(puts(20), one * 10);
      MPI_Win_unlock(1, word.window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(WindowEpoch, ExclusiveLocksExclude) {
  constexpr int ranks = 8, rounds = 6;
  for (const int per_node : {1, 4}) {
    run_mpi(small_job(ranks, per_node), [](int rank) {
      Word word;
      word.value = 0;
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < rounds; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, word.window);
        long now = 0;
        MPI_Get(&now, 1, MPI_LONG, 2, 0, 1, MPI_LONG, word.window);
        MPI_Win_flush(2, word.window);
        word.put(now + 1, 2);
        MPI_Win_unlock(2, word.window);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 2) {
        EXPECT_EQ(word.value, ranks * rounds);
      }
    });
  }
}

// Everybody gets the lock, in the order of asking: no rank twice before all others once.
TEST(WindowEpoch, SixtyFourRanksContendAndAllGetIn) {
  static constexpr int ranks = 64, rounds = 3;
  if (live_clock()) GTEST_SKIP() << "64 processes";
  run_mpi(small_job(ranks, 8), [](int rank) {
    std::vector<long> memory(1 + ranks * rounds, 0);
    MPI_Win window;
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(long)), sizeof(long),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < rounds; ++i) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      long entry = 0;
      MPI_Get(&entry, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
      MPI_Win_flush(0, window);
      const long next = entry + 1, who = rank;
      MPI_Put(&who, 1, MPI_LONG, 0, next, 1, MPI_LONG, window);
      MPI_Put(&next, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
      MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      EXPECT_EQ(memory[0], ranks * rounds);
      std::vector<int> seen(ranks, 0);
      for (std::size_t i = 1; i < memory.size(); ++i) {
        ++seen[static_cast<std::size_t>(memory[i])];
        const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
        EXPECT_LE(*most - *least, 2) << "entry " << i;
      }
      EXPECT_EQ(seen, std::vector<int>(ranks, rounds));
    }
    MPI_Win_free(&window);
  });
}

TEST(WindowEpoch, SharedLocksAreHeldTogetherAndExclusiveOnesWait) {
  if (live_clock()) GTEST_SKIP() << "about exact times";
  run_mpi(small_job(5), [](int rank) {
    Word word;
    word.value = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const Time begin = clock_now();
    if (rank == 4) {
      compute_us(50);  // the others have it
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, word.window);
      EXPECT_GT(clock_now() - begin, Time::microseconds(400));
      EXPECT_LT(clock_now() - begin, Time::microseconds(500));
      MPI_Win_unlock(0, word.window);
    } else if (rank == 3) {
      MPI_Win_lock_all(0, word.window);
      word.put(3, 0);
      compute_us(400);
      MPI_Win_unlock_all(word.window);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, word.window);
      compute_us(400);
      MPI_Win_unlock(0, word.window);
      EXPECT_LT(clock_now() - begin, Time::microseconds(450));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

// A rank that waits for a lock makes progress: the one that has it needs a message to go through.
TEST(WindowEpoch, WhoWaitsForALockTakesMessagesIn) {
  run_mpi(small_job(3), [](int rank) {
    constexpr int count = 100000;
    Word word;
    std::vector<std::byte> data(count);
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, word.window);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Ssend(data.data(), count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Win_unlock(2, word.window);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank == 1) MPI_Irecv(data.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, word.window);
      if (rank == 1) MPI_Win_unlock(2, word.window);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
}

// While one thread waits for a lock that the other one holds, that one comes in.
TEST(WindowEpoch, ThreadsLetEachOtherIn) {
  for (const Design design : all_designs) {
    SCOPED_TRACE(name_of(design));
    run_mpi(
        with_design(with(small_job(2), "MPICH_MAX_THREAD_SAFETY", "multiple"), design),
        [](int rank) {
          MPI_Win windows[2];
          long values[2] = {0, 0};
          for (int i : {0, 1}) {
            MPI_Win_create(&values[i], sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                           &windows[i]);
          }
          const auto add = [rank](MPI_Win window) {
            for (int i = 0; i < 8; ++i) {
              MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
              long now = 0;
              MPI_Get(&now, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, window);
              MPI_Win_flush(1 - rank, window);
              ++now;
              MPI_Put(&now, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, window);
              MPI_Win_unlock(1 - rank, window);
            }
          };
          corespec::Thread& main = corespec::this_thread();
          corespec::Thread& second = main.node().start_thread(
              corespec::ThreadRole::application, main.process(), [&] { add(windows[1]); });
          add(windows[0]);
          main.node().join(second);
          MPI_Barrier(MPI_COMM_WORLD);
          EXPECT_EQ(values[0], 8);
          EXPECT_EQ(values[1], 8);
          for (MPI_Win& window : windows) MPI_Win_free(&window);
        },
        MPI_THREAD_MULTIPLE);
  }
}

TEST(WindowEpoch, CallsOutOfPlaceAreRefused) {
  run_mpi(small_job(2), [](int rank) {
    Word word;
    const MPI_Win window = word.window;
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    long own = 1;
    const int other = 1 - rank;
    MPI_Group group = group_of({other});
    MPI_Request request;
    int flag = 0;
    const auto put = [&](int target) {
      return MPI_Put(&own, 1, MPI_LONG, target, 0, 1, MPI_LONG, window);
    };
    // Outside of epochs.
    EXPECT_EQ(put(other), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(MPI_PROC_NULL), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_complete(window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_wait(window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_test(window, &flag), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock(other, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock_all(window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_flush(other, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_flush_local_all(window), MPI_ERR_RMA_SYNC);
    // Within those of a lock.
    EXPECT_EQ(MPI_Win_lock(99, other, 0, window), MPI_ERR_LOCKTYPE);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, other, MPI_MODE_NOPUT, window), MPI_ERR_ASSERT);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(rank), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_flush(rank, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_fence(0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_start(group, 0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_lock_all(0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock(rank, window), MPI_ERR_RMA_SYNC);
    MPI_Win freed = window;
    EXPECT_EQ(MPI_Win_free(&freed), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock(other, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_unlock(MPI_PROC_NULL, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock_all(window), MPI_SUCCESS);
    // Of fences: one in which nothing has been done gives way.
    EXPECT_EQ(MPI_Win_fence(1, window), MPI_ERR_ASSERT);
    EXPECT_EQ(MPI_Win_fence(0, window), MPI_SUCCESS);
    EXPECT_EQ(put(other), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock_all(0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_free(&freed), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Rput(&own, 1, MPI_LONG, other, 0, 1, MPI_LONG, window, &request),
              MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_fence(0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_lock_all(0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_unlock_all(window), MPI_SUCCESS);
    // Of groups.
    EXPECT_EQ(MPI_Win_post(group, MPI_MODE_NOPRECEDE, window), MPI_ERR_ASSERT);
    EXPECT_EQ(MPI_Win_start(group, MPI_MODE_NOPUT, window), MPI_ERR_ASSERT);
    EXPECT_EQ(MPI_Win_post(group, 0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_post(group, 0, window), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_start(group, 0, window), MPI_SUCCESS);
    EXPECT_EQ(put(rank), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(other), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_complete(window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_free(&freed), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_wait(window), MPI_SUCCESS);
    MPI_Group_free(&group);
  });
}

TEST(WindowEpoch, AnErrorIsFatalAtFirst) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  const MpiOutcome outcome = run_mpi_unchecked(small_job(2), [](int) {
    long own = 1;
    MPI_Win window;
    MPI_Win_create(&own, 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Put(&own, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
  });
  EXPECT_TRUE(outcome.job.end.aborted);
  EXPECT_NE(outcome.errors.find("MPI_Put: no epoch is open (MPI_ERR_RMA_SYNC)"), std::string::npos)
      << outcome.errors;
}

}  // namespace
}  // namespace castor_test
