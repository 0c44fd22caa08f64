// Exchange in shared memory: any sizes, many times, and the memory stays as it is.
#include "launch/start_up/shared_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using launch::SharedExchange;
using Bytes = std::vector<std::byte>;

constexpr int ranks = 3;
constexpr int rounds = 200;

/// What a rank gives in a round: nothing, up to some bytes more or less than a piece, or several.
Bytes given(int rank, int round) {
  std::mt19937 random(static_cast<unsigned>(round * ranks + rank));
  const std::size_t sizes[] = {0, random() % 10, 4080 + random() % 20, random() % 20'000};
  Bytes bytes(sizes[random() % 4]);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

TEST(SharedExchange, EverybodyGetsWhatEverybodyGave) {
  constexpr std::byte untouched{0x5a};
  const std::size_t size = SharedExchange::bytes_for(ranks);
  alignas(64) static std::byte memory[64 * 1024];
  ASSERT_LT(size, sizeof memory);
  std::fill(memory + size, memory + sizeof memory, untouched);
  std::barrier meeting(ranks);
  std::vector<std::thread> threads;
  std::vector<int> wrong(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      SharedExchange exchange(memory, rank, ranks);
      for (int round = 0; round < rounds; ++round) {
        const auto all = exchange.exchange(given(rank, round), [&] { meeting.arrive_and_wait(); });
        for (int from = 0; from < ranks; ++from) {
          wrong[static_cast<std::size_t>(rank)] +=
              all.size() != ranks || all[static_cast<std::size_t>(from)] != given(from, round);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(ranks));
  EXPECT_TRUE(std::all_of(memory + size, memory + sizeof memory,
                          [](std::byte one) { return one == untouched; }));
}

// A rank that has left is missing from the next meeting on, and not in one that it has come to.
TEST(SharedExchange, WhoHasLeftIsMissing) {
  alignas(64) static std::byte memory[64 * 1024];
  SharedExchange stays(memory, 0, 2);
  SharedExchange leaves(memory, 1, 2);
  const auto missing_in_meeting = [&] {
    int missing = -2;
    stays.exchange({}, [&] { missing = stays.missing(); });
    return missing;
  };
  leaves.exchange({}, [] {});
  EXPECT_EQ(missing_in_meeting(), -1);
  leaves.exchange({}, [] {});
  leaves.leave();
  EXPECT_EQ(missing_in_meeting(), -1);
  EXPECT_EQ(missing_in_meeting(), 1);
}

// A size stands in memory that others write to.
TEST(SharedExchange, WhatCannotBeASizeIsRefused) {
  constexpr std::size_t slot = 4096;
  alignas(64) static std::byte memory[4 * slot + 2 * sizeof(std::uint64_t)];
  ASSERT_EQ(SharedExchange::bytes_for(2), sizeof memory);
  SharedExchange exchange(memory, 0, 2);
  const auto meet = [](std::uint64_t size) {
    return [size] { std::memcpy(memory + slot, &size, sizeof size); };
  };
  EXPECT_EQ(exchange.exchange({}, meet(3))[1].size(), 3U);
  for (const std::uint64_t size : {~std::uint64_t{0}, std::uint64_t{1} << 33}) {
    std::memset(memory, 0, sizeof memory);
    SharedExchange another(memory, 0, 2);
    EXPECT_THROW(another.exchange({}, meet(size)), std::runtime_error);
  }
}

}  // namespace
