// A fixed number of damaged arrivals, the same each time; arrivals_fuzzer.cc finds more.
#include "tests/wire/fuzz/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "ugni_emu/fabric/transport/process_message.h"

namespace wire_test {
namespace {

constexpr int inputs = 4000;

TEST(ArrivalsFuzz, WhatIsInOrderIsTaken) {
  Arrivals arrivals;
  const auto examples = arrivals.examples();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_TRUE(arrivals.take(examples[i], true)) << i;
  }
  EXPECT_TRUE(arrivals.wait());
  EXPECT_TRUE(arrivals.is_whole());
}

/// A peer that ends between two pieces of a GET's data.
TEST(ArrivalsFuzz, AnAnswerMayStayHalf) {
  using ugni::fabric::MessageKind;
  Arrivals arrivals;
  const auto examples = arrivals.examples();
  const auto first = [&](MessageKind kind) {
    return *std::find_if(examples.begin(), examples.end(), [kind](const auto& each) {
      return static_cast<MessageKind>(each.front()) == kind;
    });
  };
  for (const MessageKind kind :
       {MessageKind::answer, MessageKind::response, MessageKind::goodbye}) {
    EXPECT_TRUE(arrivals.take(first(kind), true));
  }
  EXPECT_TRUE(arrivals.wait());
}

/// Data that was not wished for, or twice, ends the job with a line.
TEST(ArrivalsFuzz, DataIsTakenOnce) {
  const auto data_at = [](const auto& examples) {
    return std::find_if(examples.begin(), examples.end(), [](const auto& each) {
      return static_cast<ugni::fabric::MessageKind>(each.front()) ==
             ugni::fabric::MessageKind::data;
    });
  };
  {
    Arrivals unasked;
    const auto examples = unasked.examples();
    EXPECT_TRUE(unasked.take(examples[0], true));
    EXPECT_FALSE(unasked.take(*data_at(examples), true));
  }
  Arrivals twice;
  const auto examples = twice.examples();
  for (auto each = examples.begin(); each <= data_at(examples); ++each) {
    EXPECT_TRUE(twice.take(*each, true));
  }
  EXPECT_FALSE(twice.take(*data_at(examples), true));
}

TEST(ArrivalsFuzz, AnEndBeforeWhatWasPutOffDoesNoHarm) {
  for (int waits = 0; waits < 3; ++waits) {
    Arrivals arrivals;
    for (const auto& example : arrivals.examples()) EXPECT_TRUE(arrivals.take(example, true));
    for (int i = 0; i < waits; ++i) EXPECT_TRUE(arrivals.wait());
    EXPECT_TRUE(arrivals.is_whole());
  }
}

/// Bytes, bits, words that are often wrong, another length, another message's end.
void damage(std::vector<std::byte>& arrival, std::mt19937& random) {
  const auto at = [&](std::size_t bytes) {
    return arrival.size() <= bytes ? 0 : random() % (arrival.size() - bytes);
  };
  switch (random() % 5) {
    case 0:
      arrival[at(1)] = static_cast<std::byte>(random());
      break;
    case 1:
      arrival[at(1)] ^= static_cast<std::byte>(1U << random() % 8);
      break;
    case 2: {
      constexpr std::uint64_t words[] = {0, 1, 8, 4096, 0x7fffffff, 0xffffffff, 1ULL << 63, ~0ULL};
      const std::uint64_t word = words[random() % std::size(words)];
      std::memcpy(arrival.data() + at(8) / 4 * 4, &word, std::min<std::size_t>(8, arrival.size()));
      break;
    }
    case 3:
      arrival.resize(1 + random() % (2 * arrival.size()));
      break;
    default: {
      std::uint64_t word = 0;
      const std::size_t place = at(8);
      std::memcpy(&word, arrival.data() + place, std::min<std::size_t>(8, arrival.size()));
      word += random() % 32 - 16;
      std::memcpy(arrival.data() + place, &word, std::min<std::size_t>(8, arrival.size()));
    }
  }
}

TEST(ArrivalsFuzz, WhatIsDamagedDoesNoHarm) {
  std::mt19937 random(41);
  int refused = 0;
  int taken = 0;
  for (int i = 0; i < inputs; ++i) {
    Arrivals arrivals;
    const auto examples = arrivals.examples();
    bool goes_on = arrivals.take(examples[0], true);
    for (int step = 0; step < 6 && goes_on; ++step) {
      std::vector<std::byte> arrival = examples[random() % examples.size()];
      if (step % 2 == 1) {
        for (unsigned times = 1 + random() % 3; times > 0; --times) damage(arrival, random);
      }
      const bool known = random() % 2 == 0;
      goes_on = (random() % 4 != 0 || arrivals.wait()) && arrivals.take(arrival, known);
      ++(goes_on ? taken : refused);
    }
    if (goes_on && i % 2 == 0) arrivals.wait();  // of the others the end comes first
    ASSERT_TRUE(arrivals.is_whole()) << "input " << i;
  }
  EXPECT_GT(refused, inputs / 4);
  EXPECT_GT(taken, inputs);
}

}  // namespace
}  // namespace wire_test
