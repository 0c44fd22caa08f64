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

/// 40 bytes of its own and 600 that are lent.
struct Lent {
  std::vector<std::byte> all = numbered(640);
  std::vector<std::byte> rest{all.begin() + 40, all.end()};
  Payload payload(PayloadPool& pool) { return {pool, std::span(all).first(40), rest, &loan}; }
  static bool has_all(const Payload& payload) {
    const std::vector<std::byte> expected = numbered(640);
    std::vector<std::byte> got(640);
    payload.copy_to(0, std::span(got).first(30));
    payload.copy_to(30, std::span(got).subspan(30, 100));
    payload.copy_to(130, std::span(got).subspan(130));
    return payload.size() == 640 && got == expected && *payload.at(0) == expected[0] &&
           *payload.at(39) == expected[39] && *payload.at(40) == expected[40];
  }
  void change() { std::fill(rest.begin(), rest.end(), std::byte{0xEE}); }
  ugni::Loan loan;
};

TEST(PayloadTest, LentBytesStayWhereTheyAreUntilTheLenderWantsThem) {
  PayloadPool pool;
  Lent lent;
  EXPECT_FALSE(lent.loan.open());
  Payload payload = lent.payload(pool);
  EXPECT_TRUE(lent.loan.open());
  EXPECT_TRUE(Lent::has_all(payload));
  EXPECT_EQ(payload.at(40), lent.rest.data());
  const Payload moved = std::move(payload);
  EXPECT_TRUE(lent.loan.open());
  lent.loan.end();
  EXPECT_FALSE(lent.loan.open());
  lent.change();
  EXPECT_TRUE(Lent::has_all(moved));
  lent.loan.end();  // nothing happens
}

TEST(PayloadTest, ALoanEndsWithItsPayload) {
  PayloadPool pool;
  Lent lent;
  for (int i = 0; i < 3; ++i) {
    { const Payload payload = lent.payload(pool); }
    EXPECT_FALSE(lent.loan.open());
  }
  lent.payload(pool).release()->give_back();
  EXPECT_FALSE(lent.loan.open());
}

TEST(PayloadTest, WhoWantsAllBytesInARowGetsACopy) {
  PayloadPool pool;
  Lent lent;
  Payload payload = lent.payload(pool);
  EXPECT_EQ(640U, payload.bytes().size());
  EXPECT_FALSE(lent.loan.open());
  lent.change();
  EXPECT_TRUE(std::equal(lent.all.begin(), lent.all.end(), payload.bytes().begin()));
  Payload second = lent.payload(pool);
  lent.loan.end();
  EXPECT_EQ(640U, second.bytes().size());
  EXPECT_EQ(std::byte{0xEE}, second.bytes()[640 - 1]);
}

TEST(PayloadTest, LenderAndPoolMayGoFirst) {
  Payload payload;
  {
    PayloadPool pool;
    Lent lent;
    payload = lent.payload(pool);
    lent.loan.abandon();
    EXPECT_FALSE(lent.loan.open());
  }
  EXPECT_EQ(640U, payload.size());
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
