// Whatever is done to a file, reading it ends with its calls or with one line.
#include <gtest/gtest.h>

#include "apps/traces/dumpi/trace_file.h"
#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;

/// Reads what is there, and goes through it; says what was wrong, or "".
std::string outcome_of(const std::string& bytes) {
  return error_of([&] {
    const dumpi::RankTrace trace("damaged", bytes);
    EXPECT_EQ(trace.calls().size(), trace.size());
  });
}

/// Of every fourth label, so that it can be damaged at every place.
std::string small_file() {
  std::mt19937 random(1);
  std::vector<dumpi::Call> calls = castor_test::random_calls(1, random);
  std::erase_if(calls, [](const auto& each) { return static_cast<int>(each.label) % 4 != 2; });
  return castor_test::file_of(calls, castor_test::some_sections());
}

TEST(DamagedTrace, IsRefusedWhereverItIsCutOff) {
  const std::string whole = small_file();
  ASSERT_EQ(outcome_of(whole), "");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string error = outcome_of(whole.substr(0, length));
    ASSERT_EQ(error.rfind("damaged: byte ", 0), 0U) << length << ": '" << error << "'";
  }
}

/// The index stays, and all that is behind the cut moves.
TEST(DamagedTrace, IsRefusedIfItsStreamLacksItsEnd) {
  std::mt19937 random(2);
  const std::string whole =
      castor_test::file_of(castor_test::random_calls(1, random), castor_test::some_sections());
  const std::string index = whole.substr(whole.size() - 64);
  int refused = 0;
  for (std::size_t length = 16; length < whole.size() - 64; ++length) {
    refused += outcome_of(whole.substr(0, length) + index).empty() ? 0 : 1;
  }
  EXPECT_EQ(refused, static_cast<int>(whole.size() - 64 - 16));
}

TEST(DamagedTrace, EndsWithCallsOrOneLineWhateverByteIsAnother) {
  const std::string whole = small_file();
  std::mt19937 random(3);
  int refused = 0;
  constexpr int times = 2000;
  for (int i = 0; i < times; ++i) {
    std::string damaged = whole;
    for (int left = 1 + i % 3; left > 0; --left) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    refused += outcome_of(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, times / 20);
  EXPECT_LT(refused, times);
}

/// Every bit of every byte of the stream's beginning and of the index.
TEST(DamagedTrace, EndsWithCallsOrOneLineWhateverBitIsAnother) {
  const std::string whole = small_file();
  int refused = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    if (place >= 600 && place < whole.size() - 64) continue;
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << bit));
      refused += outcome_of(damaged).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(DamagedTrace, EndsWithCallsOrOneLineWhateverByteIsMissing) {
  const std::string whole = small_file();
  int refused = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    refused += outcome_of(damaged.erase(place, 1)).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, static_cast<int>(whole.size() / 2));
}

}  // namespace
