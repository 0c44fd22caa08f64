// What a process's first message to its PMIx server may be, and what not.
#include "launch/live_launcher/pmix_hello.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/launch/pmix_greeting.h"

namespace {

using launch::parse_pmix_hello;
using launch::pmix_hello_head;
using launch_test::greeting;
using launch_test::greeting_as;

TEST(PmixHello, NamesARank) {
  const auto hello = parse_pmix_hello(greeting("aprun-1-2-3", 70000));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->space, "aprun-1-2-3");
  EXPECT_EQ(hello->rank, 70000U);
}

TEST(PmixHello, HeadSaysItsLength) {
  const std::string message = greeting("job", 0);
  EXPECT_EQ(launch::pmix_hello_length(message.substr(0, pmix_hello_head)), message.size());
  EXPECT_EQ(launch::pmix_hello_length(std::string(pmix_hello_head, '\xff')), 0U);
  EXPECT_EQ(launch::pmix_hello_length("short"), 0U);
}

/// With a length that fits, whatever is missing.
TEST(PmixHello, EveryFieldHasToBeThere) {
  const std::string whole = greeting("job", 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_pmix_hello(whole.substr(0, size))) << size;
    std::string shorter = whole.substr(0, size);
    if (size < pmix_hello_head) continue;
    shorter[8] = static_cast<char>(size - pmix_hello_head);
    EXPECT_FALSE(parse_pmix_hello(shorter)) << size;
  }
}

TEST(PmixHello, LengthsAreNotBelieved) {
  const std::size_t credential = pmix_hello_head + sizeof "native";
  std::string message = greeting("job", 1);
  for (int byte = 0; byte < 4; ++byte) {
    std::string longer = message;
    longer[credential + static_cast<std::size_t>(byte)] = '\x7f';
    EXPECT_FALSE(parse_pmix_hello(longer)) << byte;
  }
  EXPECT_FALSE(parse_pmix_hello(greeting(std::string(256, 'n'), 1)));
}

TEST(PmixHello, ToolsAndLaunchersAreNoRanks) {
  for (char kind = 1; kind < 12; ++kind) {
    const std::string identity =
        kind + launch_test::with_end("job") + launch_test::in_network_order(0);
    EXPECT_FALSE(parse_pmix_hello(greeting_as(identity))) << static_cast<int>(kind);
  }
}

/// Under a sanitizer nothing outside is read.
TEST(PmixHello, AnyBytesAreReadSafely) {
  std::mt19937 random(1);
  const std::string good = greeting("aprun-1-2-3", 1);
  for (int turn = 0; turn < 20000; ++turn) {
    std::string bytes = good;
    for (unsigned changes = random() % 4; changes <= 4; ++changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (const auto hello = parse_pmix_hello(bytes)) {
      EXPECT_LE(hello->space.size(), 255U);
    }
  }
}

}  // namespace
