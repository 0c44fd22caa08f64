// ARMCI: transfers in every form and by every way leave memory as a sequential model says.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/armci/job.h"
#include "tests/support/seen.h"

namespace castor_test {
namespace {

constexpr std::size_t area = 60000;  ///< longs of each pair of ranks

/// A shape of up to three levels, in longs, that fits into the area.
struct Shape {
  int levels = 0;
  std::array<int, 4> count{};   ///< count[0] in bytes
  std::array<int, 3> stride{};  ///< bytes
  int begin = 0;                ///< first element

  std::vector<std::size_t> elements() const {
    std::vector<std::size_t> all;
    const std::array<int, 3> counts{levels > 0 ? count[1] : 1, levels > 1 ? count[2] : 1,
                                    levels > 2 ? count[3] : 1};
    for (int c = 0; c < counts[2]; ++c) {
      for (int b = 0; b < counts[1]; ++b) {
        for (int a = 0; a < counts[0]; ++a) {
          const int from = begin * 8 + a * stride[0] + b * stride[1] + c * stride[2];
          for (int i = 0; i < count[0]; i += 8) {
            all.push_back(static_cast<std::size_t>((from + i) / 8));
          }
        }
      }
    }
    return all;
  }
};

Shape random_shape(std::mt19937& random, const std::array<int, 4>& count, int levels) {
  Shape shape;
  shape.levels = levels;
  shape.count = count;
  int extent = count[0];
  for (int level = 1; level <= levels; ++level) {
    const int gap = random() % 3 == 0 ? 0 : static_cast<int>(random() % 20) * 8;
    shape.stride[static_cast<std::size_t>(level - 1)] = extent + gap;
    extent = (extent + gap) * count[static_cast<std::size_t>(level)];
  }
  shape.begin = static_cast<int>(random() % (area - static_cast<std::size_t>(extent) / 8));
  return shape;
}

/// What a rank does to its own part of another's memory, and what it should then be.
class Walk {
 public:
  Walk(int rank, unsigned seed, const Shared<std::int64_t>& memory)
      : random_(seed * 1000 + static_cast<unsigned>(rank)), rank_(rank), memory_(memory) {
    for (int to = 0; to < ranks(); ++to) models_.emplace_back(area, 0);
  }

  void step() {
    const int to = static_cast<int>(random_() % static_cast<unsigned>(ranks()));
    const int levels = static_cast<int>(random_() % 4);
    std::array<int, 4> count{};
    const bool small = random_() % 2 == 0;
    count[0] = 8 * (1 + static_cast<int>(random_() % (small ? 20 : levels == 0 ? 20000 : 300)));
    for (int level = 1; level <= levels; ++level) {
      count[static_cast<std::size_t>(level)] = 1 + static_cast<int>(random_() % (small ? 3 : 5));
    }
    const Shape there = random_shape(random_, count, levels);
    const Shape here = random_shape(random_, count, levels);
    local_.assign(area, -1);
    const std::vector<std::size_t> own = here.elements();
    const std::vector<std::size_t> others = there.elements();
    auto& model = models_[static_cast<std::size_t>(to)];
    switch (random_() % 3) {
      case 0:
        for (const std::size_t i : own) local_[i] = static_cast<std::int64_t>(random_());
        put(to, here, there);
        for (std::size_t i = 0; i < own.size(); ++i) model[others[i]] = local_[own[i]];
        break;
      case 1: {
        long scale = 1 + static_cast<long>(random_() % 5);
        for (const std::size_t i : own) local_[i] = static_cast<std::int64_t>(random_());
        accumulate(to, scale, here, there);
        for (std::size_t i = 0; i < own.size(); ++i) model[others[i]] += scale * local_[own[i]];
        break;
      }
      default:
        get(to, here, there);
        for (std::size_t i = 0; i < own.size(); ++i) {
          ASSERT_EQ(model[others[i]], local_[own[i]]) << "element " << i << " of rank " << to;
          local_[own[i]] = -1;
        }
        for (const std::int64_t value : local_) ASSERT_EQ(-1, value);
    }
  }

  /// The part of the caller's memory that `from` writes, as it should be.
  const std::vector<std::int64_t>& model(int to) const {
    return models_[static_cast<std::size_t>(to)];
  }

 private:
  std::int64_t* remote(int to, const Shape& shape) const {
    return memory_.at(to) + static_cast<std::size_t>(rank_) * area + shape.begin;
  }
  std::int64_t* local(const Shape& shape) { return local_.data() + shape.begin; }

  /// Lists of runs instead of strides.
  bool listed() { return random_() % 4 == 0; }
  struct Lists {
    std::vector<void*> sources;
    std::vector<void*> targets;
    armci_giov_t list{};
  };
  static std::vector<void*> runs(const Shape& shape, std::int64_t* base) {
    std::vector<void*> all;
    const std::vector<std::size_t> elements = shape.elements();
    for (std::size_t i = 0; i < elements.size();
         i += static_cast<std::size_t>(shape.count[0] / 8)) {
      all.push_back(base + elements[i]);
    }
    return all;
  }
  Lists lists(const Shape& here, const Shape& there, int to, bool get) {
    Lists result;
    result.sources = runs(here, local_.data());
    result.targets = runs(there, memory_.at(to) + static_cast<std::size_t>(rank_) * area);
    if (get) std::swap(result.sources, result.targets);
    result.list.src_ptr_array = result.sources.data();
    result.list.dst_ptr_array = result.targets.data();
    result.list.bytes = here.count[0];
    result.list.ptr_array_len = static_cast<int>(result.sources.size());
    return result;
  }

  void put(int to, Shape here, Shape there) {
    if (listed()) {
      Lists all = lists(here, there, to, false);
      EXPECT_EQ(0, ARMCI_PutV(&all.list, 1, to));
    } else if (random_() % 3 == 0) {
      armci_hdl_t handle;
      ARMCI_INIT_HANDLE(&handle);
      EXPECT_EQ(0, ARMCI_NbPutS(local(here), here.stride.data(), remote(to, there),
                                there.stride.data(), here.count.data(), here.levels, to, &handle));
      EXPECT_EQ(0, ARMCI_Wait(&handle));
    } else {
      EXPECT_EQ(0, ARMCI_PutS(local(here), here.stride.data(), remote(to, there),
                              there.stride.data(), here.count.data(), here.levels, to));
    }
  }
  void accumulate(int to, long scale, Shape here, Shape there) {
    if (listed()) {
      Lists all = lists(here, there, to, false);
      EXPECT_EQ(0, ARMCI_AccV(ARMCI_ACC_LNG, &scale, &all.list, 1, to));
    } else {
      EXPECT_EQ(
          0, ARMCI_AccS(ARMCI_ACC_LNG, &scale, local(here), here.stride.data(), remote(to, there),
                        there.stride.data(), here.count.data(), here.levels, to));
    }
  }
  void get(int to, Shape here, Shape there) {
    if (listed()) {
      Lists all = lists(here, there, to, true);
      EXPECT_EQ(0, ARMCI_GetV(&all.list, 1, to));
    } else if (random_() % 3 == 0) {
      EXPECT_EQ(0, ARMCI_NbGetS(remote(to, there), there.stride.data(), local(here),
                                here.stride.data(), here.count.data(), here.levels, to, nullptr));
      EXPECT_EQ(0, ARMCI_WaitProc(to));
    } else {
      EXPECT_EQ(0, ARMCI_GetS(remote(to, there), there.stride.data(), local(here),
                              here.stride.data(), here.count.data(), here.levels, to));
    }
  }

  std::mt19937 random_;
  int rank_;
  const Shared<std::int64_t>& memory_;
  std::vector<std::int64_t> local_;
  std::vector<std::vector<std::int64_t>> models_;  ///< by target
};

class Ways : public testing::TestWithParam<Way> {};

// Puts, gets and accumulates follow each other without a fence: each sees what its rank did before.
TEST_P(Ways, EachRankSeesItsOwnOperationsInOrder) {
  const unsigned seeds = live_clock() ? 1 : 4;
  run_armci(small_job(4, 2), GetParam().settings, [&](int rank) {
    Shared<std::int64_t> memory(4 * area);
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      std::fill(memory.at(rank), memory.at(rank) + 4 * area, 0);
      ARMCI_Barrier();
      Walk walk(rank, seed, memory);
      for (int step = 0; step < 40; ++step) walk.step();
      ARMCI_Barrier();
      // And so does the owner after the barrier.
      Shared<std::int64_t> models(4 * area);
      for (int to = 0; to < 4; ++to) {
        EXPECT_EQ(0,
                  ARMCI_Put(const_cast<std::int64_t*>(walk.model(to).data()),
                            models.at(to) + static_cast<std::size_t>(rank) * area, area * 8, to));
      }
      ARMCI_Barrier();
      EXPECT_EQ(0, std::memcmp(models.at(rank), memory.at(rank), 4 * area * 8));
      models.free(rank);
    }
    memory.free(rank);
  });
}

TEST_P(Ways, OddSizesAndPlacesArriveWhole) {
  run_armci(small_job(2), GetParam().settings, [](int rank) {
    Shared<std::uint8_t> memory(400000);
    std::fill(memory.at(rank), memory.at(rank) + 400000, 0xEE);
    ARMCI_Barrier();
    std::mt19937 random(7);
    for (const int bytes : {1, 2, 3, 5, 7, 100, 2047, 2048, 2049, 5001, 65537, 300001}) {
      const int there = 1 + static_cast<int>(random() % 50);
      const int here = static_cast<int>(random() % 9);
      if (rank == 0) {
        std::vector<std::uint8_t> data(static_cast<std::size_t>(bytes) + 16);
        for (auto& value : data) value = static_cast<std::uint8_t>(random() & 0x7f);
        ASSERT_EQ(0, ARMCI_Put(data.data() + here, memory.at(1) + there, bytes, 1));
        std::vector<std::uint8_t> back(data.size() + 2, 0xDD);
        ASSERT_EQ(0, ARMCI_Get(memory.at(1) + there - 1, back.data() + 3, bytes + 2, 1));
        EXPECT_EQ(0xEE, back[3]);
        EXPECT_EQ(
            0, std::memcmp(back.data() + 4, data.data() + here, static_cast<std::size_t>(bytes)));
        EXPECT_EQ(0xEE, back[static_cast<std::size_t>(bytes) + 4]);
        EXPECT_EQ(0xDD, back[2]);
        std::vector<std::uint8_t> old(static_cast<std::size_t>(bytes), 0xEE);
        ASSERT_EQ(0, ARMCI_Put(old.data(), memory.at(1) + there, bytes, 1));
      }
    }
    ARMCI_Barrier();
    EXPECT_TRUE(std::all_of(memory.at(rank), memory.at(rank) + 400000,
                            [](std::uint8_t value) { return value == 0xEE; }));
  });
}

TEST_P(Ways, AccumulatesOfAllRanksAddUpInEveryType) {
  run_armci(small_job(5, 2), GetParam().settings, [](int rank) {
    const auto check = [&](int type, auto one, auto scale) {
      using Value = decltype(one);
      constexpr std::size_t count = 1500;
      Shared<Value> memory(count);
      std::fill(memory.at(rank), memory.at(rank) + count, Value{});
      ARMCI_Barrier();
      std::vector<Value> own(count);
      for (std::size_t i = 0; i < count; ++i) own[i] = static_cast<Value>(i % 50) * one;
      for (int turn = 0; turn < 2; ++turn) {
        for (int to = 0; to < 5; ++to) {
          const std::size_t part = turn == 0 ? count : 30;
          ASSERT_EQ(0, ARMCI_Acc(type, &scale, own.data(), memory.at(to),
                                 static_cast<int>(part * sizeof(Value)), to));
        }
      }
      ARMCI_Barrier();
      for (std::size_t i = 0; i < count; ++i) {
        const Value each = scale * own[i];
        Value sum{};
        for (int k = 0; k < (i < 30 ? 10 : 5); ++k) sum += each;
        ASSERT_EQ(sum, memory.at(rank)[i]) << i;
      }
      memory.free(rank);
    };
    check(ARMCI_ACC_INT, 3, 2);
    check(ARMCI_ACC_LNG, 3L, -7L);
    check(ARMCI_ACC_FLT, 0.5F, 2.0F);
    check(ARMCI_ACC_DBL, 0.25, -4.0);
    check(ARMCI_ACC_CPL, std::complex<float>(1, -2), std::complex<float>(0, 1));
    check(ARMCI_ACC_DCP, std::complex<double>(0.5, 2), std::complex<double>(2, -1));
  });
}

TEST_P(Ways, WhoSeesTheFlagSeesTheData) {
  run_armci(small_job(2), GetParam().settings, [](int rank) {
    Shared<int> memory(30000);
    memory.at(rank)[0] = 0;
    ARMCI_Barrier();
    int turn = 0;
    for (const int count : {1, 100, 20000}) {
      ++turn;
      if (rank == 0) {
        std::vector<int> data(static_cast<std::size_t>(count), turn);
        ASSERT_EQ(0,
                  ARMCI_Put_flag(data.data(), memory.at(1) + 8, count * 4, memory.at(1), turn, 1));
      } else {
        while (seen(memory.at(1)) != turn) work_a_little();
        ARMCI_Fence(0);
        for (int i = 0; i < count; ++i) ASSERT_EQ(turn, memory.at(1)[8 + i]);
      }
      armci_msg_barrier();  // the next one does not overtake the look
    }
    ARMCI_Barrier();
  });
}

TEST_P(Ways, ManyUnderWayAtOnceAllArrive) {
  run_armci(small_job(3), GetParam().settings, [](int rank) {
    constexpr int count = 300;
    Shared<std::int64_t> memory(3 * count);
    std::fill(memory.at(rank), memory.at(rank) + 3 * count, -1);
    ARMCI_Barrier();
    std::vector<std::int64_t> values(count);
    std::vector<armci_hdl_t> handles(count);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      values[at] = rank * 10000 + i;
      ARMCI_INIT_HANDLE(&handles[at]);
      std::int64_t* to = memory.at((rank + 1) % 3) + rank * count + i;
      ASSERT_EQ(
          0, ARMCI_NbPut(&values[at], to, 8, (rank + 1) % 3, i % 2 == 0 ? &handles[at] : nullptr));
    }
    for (int i = 0; i < count; i += 2) {
      const auto at = static_cast<std::size_t>(i);
      while (i % 4 == 0 && ARMCI_Test(&handles[at]) != 0) {
      }
      ASSERT_EQ(0, ARMCI_Wait(&handles[at]));
    }
    ASSERT_EQ(0, ARMCI_WaitAll());
    ARMCI_Barrier();
    const int from = (rank + 2) % 3;
    for (int i = 0; i < count; ++i) ASSERT_EQ(from * 10000 + i, memory.at(rank)[from * count + i]);
  });
}

// Runs that lie on each other: gets see what is there, puts leave what one of the runs had, and
// nothing else changes.
TEST_P(Ways, StridesMayOverlap) {
  run_armci(small_job(3, 2), GetParam().settings, [](int rank) {
    constexpr std::size_t size = 4000;
    Shared<char> memory(size);
    for (const int to : {1, 2}) {
      for (const int run : {8, 1000}) {
        std::iota(memory.at(rank), memory.at(rank) + size, 0);
        ARMCI_Barrier();
        if (rank == 0) {
          int count[] = {run, 5};
          int apart[] = {run};
          int stride[] = {run / 4};
          std::vector<char> own(static_cast<std::size_t>(run) * 5);
          EXPECT_EQ(0, ARMCI_GetS(memory.at(to) + 3, stride, own.data(), apart, count, 1, to));
          for (int k = 0; k < 5 * run; ++k) {
            ASSERT_EQ(static_cast<char>(3 + k / run * stride[0] + k % run),
                      own[static_cast<std::size_t>(k)]);
          }
          std::fill(own.begin(), own.end(), 'x');
          EXPECT_EQ(0, ARMCI_PutS(own.data(), apart, memory.at(to) + 3, stride, count, 1, to));
          int none[] = {0};
          EXPECT_EQ(0, ARMCI_PutS(own.data(), none, memory.at(to) + 3, none, count, 1, to));
        }
        ARMCI_Barrier();
        const int end = 3 + run + 4 * (run / 4);
        for (int i = 0; i < static_cast<int>(size); ++i) {
          const bool written = rank == to && i >= 3 && i < end;
          ASSERT_EQ(written ? 'x' : static_cast<char>(i), memory.at(rank)[i]) << i;
        }
        ARMCI_Barrier();
      }
    }
  });
}

TEST_P(Ways, AggregatesTravelTogetherAndArrive) {
  run_armci(small_job(2), GetParam().settings, [](int rank) {
    Shared<int> memory(1000);
    std::fill(memory.at(rank), memory.at(rank) + 1000, -1);
    ARMCI_Barrier();
    if (rank == 0) {
      armci_hdl_t handle;
      ARMCI_INIT_HANDLE(&handle);
      ARMCI_SET_AGGREGATE_HANDLE(&handle);
      std::vector<int> values(1000);
      std::iota(values.begin(), values.end(), 0);
      for (int i = 0; i < 500; ++i) {
        const int bytes = i < 400 ? 4 : 8;
        ASSERT_EQ(0, ARMCI_NbPut(&values[static_cast<std::size_t>(2 * i)], memory.at(1) + 2 * i,
                                 bytes, 1, &handle));
      }
      // Another kind, or another target, cannot join.
      int own = 0;
      EXPECT_NE(0, ARMCI_NbGet(memory.at(1), &own, 4, 1, &handle));
      EXPECT_NE(0, ARMCI_NbPut(&own, memory.at(0), 4, 0, &handle));
      ASSERT_EQ(0, ARMCI_Wait(&handle));
      ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
      ASSERT_EQ(0, ARMCI_NbGet(memory.at(1) + 2, &own, 4, 1, &handle));
      ASSERT_EQ(0, ARMCI_Wait(&handle));
      EXPECT_EQ(2, own);
    }
    ARMCI_Barrier();
    if (rank == 1) {
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(i % 2 == 0 || i >= 800 ? i : -1, memory.at(1)[i]);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Ways, testing::ValuesIn(all_ways), way_name);

// More requests than a client has numbers for: 64 buffers at each of nine helpers, and data that
// come in more slowly than they are asked for.
TEST(Completion, RequestsBeyondAllNumbersWait) {
  constexpr int size = 10;
  constexpr std::size_t length = 8192;  ///< ints
  run_armci(small_job(size), {"CASTOR_ARMCI_CHT_BUFFERS=64", "CASTOR_ARMCI_CHT_BUFFER_SIZE=4K"},
            [](int rank) {
              constexpr std::size_t count = 800;
              Shared<int> memory(length);
              std::iota(memory.at(rank), memory.at(rank) + length, rank * 10000);
              ARMCI_Barrier();
              if (rank == 0) {
                std::vector<int> own(count * length, -1);
                for (std::size_t i = 0; i < count; ++i) {
                  const int to = 1 + static_cast<int>(i) % (size - 1);
                  ASSERT_EQ(0,
                            ARMCI_NbGet(memory.at(to), &own[i * length], 4 * length, to, nullptr));
                }
                ASSERT_EQ(0, ARMCI_WaitAll());
                for (std::size_t i = 0; i < count * length; ++i) {
                  const int from = 1 + static_cast<int>(i / length) % (size - 1);
                  ASSERT_EQ(from * 10000 + static_cast<int>(i % length), own[i]);
                }
              }
              ARMCI_Barrier();
            });
}

TEST(Values, GoAndComeBack) {
  run_armci(small_job(2), {}, [](int rank) {
    Shared<double> memory(8);
    ARMCI_Barrier();
    if (rank == 0) {
      void* at = memory.at(1);
      EXPECT_EQ(0, ARMCI_PutValueInt(-5, at, 1));
      EXPECT_EQ(-5, ARMCI_GetValueInt(at, 1));
      EXPECT_EQ(0, ARMCI_PutValueLong(1L << 40, at, 1));
      EXPECT_EQ(1L << 40, ARMCI_GetValueLong(at, 1));
      EXPECT_EQ(0, ARMCI_PutValueFloat(1.5F, at, 1));
      EXPECT_EQ(1.5F, ARMCI_GetValueFloat(at, 1));
      EXPECT_EQ(0, ARMCI_NbPutValueDouble(-2.25, at, 1, nullptr));
      EXPECT_EQ(-2.25, ARMCI_GetValueDouble(at, 1));
    }
  });
}

// The helper is made slow: a put returns when its request is in the helper's buffer, before the
// copy, and a fence waits for the copy.
TEST(Completion, AnEagerPutIsLocallyCompleteBeforeItIsVisible) {
  if (live_clock()) GTEST_SKIP() << "the moments are the model's";
  run_armci(small_job(2), {"CASTOR_ARMCI_REQUEST=100000"}, [](int rank) {
    Shared<int> memory(1);
    memory.at(rank)[0] = 1;
    ARMCI_Barrier();
    if (rank == 0) {
      int value = 2;
      const double start = MPI_Wtime();
      ASSERT_EQ(0, ARMCI_Put(&value, memory.at(1), 4, 1));
      value = 3;  // has been taken
      EXPECT_LT(MPI_Wtime() - start, 20e-6);
      EXPECT_EQ(1, memory.at(1)[0]);
      ARMCI_Fence(1);
      EXPECT_GT(MPI_Wtime() - start, 100e-6);
      EXPECT_EQ(2, memory.at(1)[0]);
    }
  });
}

}  // namespace
}  // namespace castor_test
