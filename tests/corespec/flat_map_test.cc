// The flat map against std::map, over a long random sequence.
#include "corespec/containers/flat_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

template <typename Map>
void compare_with_map() {
  Map flat;
  std::map<std::uint64_t, int> reference;
  std::mt19937 generator(1);
  for (int step = 0; step < 200000; ++step) {
    const std::uint64_t key = (generator() % 300) * 64;
    if (generator() % 2 == 0) {
      flat.insert(key, step);
      reference[key] = step;
    } else {
      EXPECT_EQ(reference.erase(key) == 1, flat.erase(key));
    }
    ASSERT_EQ(reference.size(), flat.size());
    const std::uint64_t probe = (generator() % 300) * 64;
    const int* found = flat.find(probe);
    const auto expected = reference.find(probe);
    ASSERT_EQ(expected != reference.end(), found != nullptr);
    if (found != nullptr) {
      ASSERT_EQ(expected->second, *found);
    }
  }
}

TEST(FlatMapTest, DoesWhatAMapDoes) { compare_with_map<corespec::FlatMap<int>>(); }

TEST(FlatMapTest, DoesSoWithInlineSlots) {
  compare_with_map<corespec::FlatMap<int, ~std::uint64_t{0}, 4>>();
}

TEST(FlatMapTest, TheEmptyKeyIsNeverFound) {
  corespec::FlatMap<int> flat;
  flat.insert(1, 1);
  EXPECT_EQ(nullptr, flat.find(~std::uint64_t{0}));
  EXPECT_FALSE(flat.erase(~std::uint64_t{0}));
}

}  // namespace
