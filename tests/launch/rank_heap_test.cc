// Ranks' heaps: what they give is whole, aligned and a function of each rank's own calls.
#include "launch/libc/rank_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace launch {
namespace {

constexpr int ranks = 3000;
constexpr std::size_t kilobyte = 1024, megabyte = kilobyte * kilobyte;

class RankHeapTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!rank_heaps::are_used()) GTEST_SKIP() << "the sanitizer has the heap";
    static const bool reserved = rank_heaps::reserve(ranks);  // once in a process
    ASSERT_TRUE(reserved);
  }
};

/// A block with what a program has written into it.
struct Block {
  std::byte* at = nullptr;
  std::size_t bytes = 0;
  std::byte value{};

  void fill(std::byte with) {
    value = with;
    std::memset(at, static_cast<int>(value), bytes);
  }
  bool whole(std::size_t of) const {
    for (std::size_t i = 0; i < of; ++i) {
      if (at[i] != value) return false;
    }
    return true;
  }
};

std::size_t any_size(std::mt19937_64& random) {
  const std::size_t most = random() % 50 == 0  ? 6 * megabyte
                           : random() % 5 == 0 ? 40 * kilobyte
                                               : 600;
  return random() % most;
}

/// What a program of random calls was given: each block's place from the rank's first one.
std::vector<std::ptrdiff_t> places(int rank, unsigned seed) {
  std::mt19937_64 random(seed);
  RankHeap& heap = rank_heaps::of(rank);
  std::vector<Block> blocks(200);
  std::vector<std::ptrdiff_t> found;
  std::byte* first = nullptr;
  for (int call = 0; call < 6000; ++call) {
    Block& block = blocks[random() % blocks.size()];
    const auto kind = random() % 4;
    if (block.at == nullptr) {
      block.bytes = any_size(random);
      const std::size_t alignment = std::size_t{16} << random() % 10;
      void* const made = kind == 0   ? heap.allocate_zeroed(block.bytes)
                         : kind == 1 ? heap.allocate(block.bytes, alignment)
                                     : heap.allocate(block.bytes);
      block.at = static_cast<std::byte*>(made);
      if (block.at == nullptr) {
        ADD_FAILURE() << "no room for " << block.bytes;
        return found;
      }
      if (kind == 0) {
        block.value = std::byte{};
        EXPECT_TRUE(block.whole(block.bytes));
      }
      if (kind == 1) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.at) % alignment, 0U);
      }
    } else {
      EXPECT_TRUE(block.whole(block.bytes));
      if (kind != 0) {
        heap.free(block.at);
        block = {};
        continue;
      }
      const std::size_t bytes = any_size(random);
      block.at = static_cast<std::byte*>(heap.resize(block.at, bytes));
      EXPECT_TRUE(block.whole(std::min(bytes, block.bytes)));
      block.bytes = bytes;
    }
    EXPECT_GE(heap.size(block.at), block.bytes);
    EXPECT_TRUE(rank_heaps::hold(block.at));
    EXPECT_EQ(&rank_heaps::owner(block.at), &heap);
    if (first == nullptr) first = block.at;
    found.push_back(block.at - first);
    block.fill(static_cast<std::byte>(random()));
  }
  return found;
}

TEST_F(RankHeapTest, GivesWhatTheRanksOwnCallsSay) {
  const auto alone = places(7, 1);
  EXPECT_GT(alone.size(), 2000U);
  // Small and large addresses are of two pieces, whose distance is the ranks' number's.
  const auto near = [](std::vector<std::ptrdiff_t> list) {
    std::erase_if(list, [](std::ptrdiff_t place) {
      return std::abs(place) > static_cast<std::ptrdiff_t>(64 * kilobyte);
    });
    return list;
  };
  places(8, 2);
  places(2999, 3);
  EXPECT_EQ(near(places(9, 1)), near(alone));
}

TEST_F(RankHeapTest, OfRanksAreApart) {
  EXPECT_EQ(rank_heaps::of(0).allocate(std::size_t{1} << 45), nullptr);
  auto* const low = static_cast<std::byte*>(rank_heaps::of(0).allocate(3 * megabyte));
  auto* const high = static_cast<std::byte*>(rank_heaps::of(1).allocate(3 * megabyte));
  EXPECT_LT(low + 3 * megabyte, high);
  EXPECT_FALSE(rank_heaps::hold(&low));
  EXPECT_EQ(rank_heaps::of(1).resize(high, std::size_t{1} << 45), nullptr);
  high[3 * megabyte - 1] = std::byte{1};
  rank_heaps::of(0).free(low);
  rank_heaps::of(1).free(high);
}

using RankHeapDeathTest = RankHeapTest;

TEST_F(RankHeapDeathTest, ABlockIsFreedOnce) {
  RankHeap& heap = rank_heaps::of(5);
  void* const block = heap.allocate(20 * kilobyte);
  heap.free(block);
  EXPECT_DEATH(heap.free(block), "free\\(\\): this is no block of the rank's heap");
}

}  // namespace
}  // namespace launch
