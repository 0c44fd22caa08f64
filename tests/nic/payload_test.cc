// Payloads and the pool of their memory.
#include "ugni_emu/wire/payload.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <vector>

namespace {

using ugni::Payload;
using ugni::PayloadBlock;
using ugni::PayloadPool;

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

TEST(PayloadTest, KeepsBytesOfAllSizes) {
  PayloadPool pool;
  std::vector<Payload> payloads;
  const std::vector<std::byte> bytes = numbered(100'000);
  for (std::size_t size : {0, 1, 31, 32, 33, 1024, 9183, 9184, 9185, 9216, 100'000}) {
    payloads.emplace_back(pool, std::span(bytes).first(size));
    payloads.emplace_back(std::span(bytes).first(size));
  }
  for (const Payload& payload : payloads) {
    EXPECT_TRUE(std::equal(payload.bytes().begin(), payload.bytes().end(), bytes.begin()));
    EXPECT_EQ(0U, reinterpret_cast<std::uintptr_t>(payload.bytes().data()) % 16);
  }
}

TEST(PayloadTest, MovesAndReleases) {
  PayloadPool pool;
  const std::vector<std::byte> bytes = numbered(100);
  Payload first(pool, bytes);
  Payload second(pool, 20);
  second = std::move(first);
  EXPECT_EQ(100U, second.size());
  PayloadBlock* block = second.release();
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(nullptr, second.release());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), block->bytes().begin()));
  block->give_back();
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(PayloadTest, WhatWasFreedLastIsUsedFirst) {
  PayloadPool pool;
  PayloadBlock& first = pool.take(1000);
  PayloadBlock& second = pool.take(1000);
  first.tag = 5;
  second.give_back();
  first.give_back();
  EXPECT_EQ(&first, &pool.take(1001));
  EXPECT_EQ(0, first.tag);
  EXPECT_EQ(1001U, first.size);
  EXPECT_EQ(&second, &pool.take(1000));
  first.give_back();
  second.give_back();
}

TEST(PayloadTest, SizesTradeTheirMemory) {
  PayloadPool pool;
  std::vector<Payload> payloads;
  const auto use = [&](std::size_t count, std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) payloads.emplace_back(pool, size);
  };
  use(8000, 1000);
  EXPECT_EQ(0U, pool.free_bytes());
  payloads.clear();
  const std::size_t kept = pool.free_bytes();
  EXPECT_GE(kept, 8'000'000U);
  use(8000, 1000);  // all of it serves again
  EXPECT_EQ(0U, pool.free_bytes());
  payloads.clear();
  use(2000, 2000);  // as much goes as is made
  EXPECT_LE(pool.free_bytes(), kept - 4'000'000);
  EXPECT_GE(pool.free_bytes(), kept - 4'300'000);  // in whole blocks
  use(4000, 2000);
  EXPECT_LE(pool.free_bytes(), 1'100'000U);
}
#endif

TEST(PayloadTest, BlocksMayOutliveTheirPool) {
  const std::vector<std::byte> bytes = numbered(500);
  Payload survivor;
  {
    PayloadPool pool;
    Payload other(pool, 500);
    survivor = Payload(pool, bytes);
  }
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), survivor.bytes().begin()));
}

}  // namespace
