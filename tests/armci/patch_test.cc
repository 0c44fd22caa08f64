// ARMCI's patches: runs are walked over in order, from any of them on, and packed as they lie.
#include "armci/core/patch.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace armci {
namespace {

constexpr std::int64_t room = 1 << 17;  ///< bytes on each side of a patch's base

class Patches : public testing::Test {
 protected:
  Patches() : memory_(2 * room) {
    for (std::byte& each : memory_) each = static_cast<std::byte>(random_());
  }

  /// With gaps, without, backwards, and runs that lie on each other.
  Patch random_strides(std::int64_t run_bytes, int levels) {
    Patch patch;
    patch.base = memory_.data() + room;
    patch.strides.levels = levels;
    patch.strides.count[0] = run_bytes;
    std::int64_t extent = run_bytes;
    for (std::size_t level = 1; level <= static_cast<std::size_t>(levels); ++level) {
      const auto count = static_cast<std::int64_t>(1 + random_() % 4);
      const auto gap = static_cast<std::int64_t>(random_() % 3 * 8);
      const std::int64_t forms[] = {extent, extent + gap, -(extent + gap), 0};
      patch.strides.count[level] = count;
      patch.strides.stride[level - 1] = forms[random_() % 4];
      extent = (extent + gap) * count;
    }
    return patch;
  }

  static std::vector<std::int64_t> offsets(const Patch& patch) {
    if (patch.listed) return patch.list;
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < patch.runs(); ++i) all.push_back(patch.strides.offset(i));
    return all;
  }

  /// The same runs, as a list.
  static Patch as_list(const Patch& patch) {
    Patch list = patch;
    list.list = offsets(patch);
    list.listed = true;
    return list;
  }

  std::mt19937 random_{20120429};
  std::vector<std::byte> memory_;
};

TEST_F(Patches, AreWalkedOverFromAnyRunOn) {
  for (int round = 0; round < 300; ++round) {
    const Patch strided = random_strides(8, round % 5);
    for (const Patch& patch : {strided, as_list(strided)}) {
      const std::vector<std::int64_t> all = offsets(patch);
      const auto runs = patch.runs();
      const auto first = static_cast<std::int64_t>(random_() % static_cast<unsigned>(runs));
      const auto count =
          static_cast<std::int64_t>(random_() % static_cast<unsigned>(runs - first + 1));
      std::vector<std::int64_t> seen;
      for_each_run(patch, first, count, [&](std::byte* run) { seen.push_back(run - patch.base); });
      EXPECT_EQ(std::vector<std::int64_t>(all.begin() + first, all.begin() + first + count), seen);
    }
  }
}

TEST_F(Patches, GoInPairs) {
  for (int round = 0; round < 300; ++round) {
    const int levels = round % 5;
    Patch one = random_strides(8, levels);
    Patch other = random_strides(8, levels);
    other.strides.count = one.strides.count;
    if (round % 3 == 0) one = as_list(one);
    if (round % 7 == 0) other = as_list(other);
    const std::vector<std::int64_t> first = offsets(one);
    const std::vector<std::int64_t> second = offsets(other);
    std::size_t at = 0;
    for_each_pair(one, other, [&](std::byte* run, std::byte* counterpart) {
      ASSERT_LT(at, first.size());
      EXPECT_EQ(first[at], run - one.base);
      EXPECT_EQ(second[at], counterpart - other.base);
      ++at;
    });
    EXPECT_EQ(first.size(), at);
  }
}

TEST_F(Patches, ArePackedAndUnpackedInEveryLength) {
  for (const std::int64_t run_bytes : {1, 3, 4, 7, 8, 12, 16, 24, 100, 1000}) {
    for (int round = 0; round < 30; ++round) {
      const Patch strided = random_strides(run_bytes, round % 4);
      for (const Patch& patch : {strided, as_list(strided)}) {
        const std::vector<std::int64_t> all = offsets(patch);
        const auto runs = patch.runs();
        const auto first = static_cast<std::int64_t>(random_() % static_cast<unsigned>(runs));
        const std::int64_t count = runs - first;
        const auto length = static_cast<std::size_t>(run_bytes);
        std::vector<std::byte> packed(static_cast<std::size_t>(count) * length);
        pack(patch, first, count, packed.data());
        std::vector<std::byte> expected = memory_;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t offset = all[static_cast<std::size_t>(first + i)];
          std::byte* part = packed.data() + i * run_bytes;
          ASSERT_EQ(0, std::memcmp(part, patch.base + offset, length));
          for (std::size_t k = 0; k < length; ++k) part[k] = static_cast<std::byte>(random_());
          std::memcpy(expected.data() + room + offset, part, length);
        }
        unpack(patch, first, count, packed.data());
        ASSERT_EQ(expected, memory_);
      }
    }
  }
}

TEST_F(Patches, MergeLevelsWithoutGaps) {
  Strides one;
  one.levels = 3;
  one.count = {8, 4, 1, 5};
  one.stride = {8, 1000, 64};
  Strides other = one;
  Strides::merge(one, other);
  EXPECT_EQ(1, one.levels);
  EXPECT_EQ(32, one.count[0]);
  EXPECT_EQ(5, one.count[1]);
  EXPECT_EQ(64, one.stride[0]);
  // Not if the other has gaps.
  one.levels = other.levels = 1;
  one.count = other.count = {8, 4};
  one.stride = {8};
  other.stride = {16};
  Strides::merge(one, other);
  EXPECT_EQ(1, one.levels);
}

}  // namespace
}  // namespace armci
