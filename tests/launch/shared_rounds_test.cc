// Parts that meet in shared memory: what they write to each other, how far each has come, how they
// sleep and are interrupted.
#include "launch/workers/shared_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/launch/on_threads.h"

namespace {

using corespec::Time;
using launch::SharedRounds;
using launch::SharedRoundsMemory;
using launch::Subject;
using launch_test::addresses;
using launch_test::on_threads;
using Front = corespec::Rounds::Front;

const std::atomic<bool> never = false;

std::int64_t thread_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void does_nothing() {}

struct Letter {
  Subject subject;
  std::vector<std::uint32_t> words;
  std::size_t bytes;  ///< some of the last word's
  bool operator==(const Letter& other) const {
    return subject == other.subject && bytes == other.bytes &&
           (bytes == 0 || std::memcmp(words.data(), other.words.data(), bytes) == 0);
  }
};

/// The same for the part that writes and for the one that reads.
std::mt19937 random_for(int round, std::size_t from, std::size_t to) {
  return std::mt19937(static_cast<unsigned>((static_cast<std::size_t>(round) * 8 + from) * 8 + to));
}

/// A few letters of a few bytes or of many.
std::vector<Letter> letters_of(int round, std::size_t from, std::size_t to) {
  std::mt19937 random = random_for(round, from, to);
  std::vector<Letter> letters(random() % 6);
  for (Letter& letter : letters) {
    const std::size_t sizes[] = {0, random() % 20, random() % 5000, random() % 5000,
                                 random() % 16 == 0 ? random() % 300'000 : 8};
    letter.subject = static_cast<Subject>(random() % launch::subjects);
    letter.bytes = sizes[random() % 5];
    letter.words.resize((letter.bytes + 3) / 4);
    for (std::uint32_t& word : letter.words) word = static_cast<std::uint32_t>(random());
  }
  return letters;
}

void write(SharedRounds& rounds, std::size_t to, const Letter& letter) {
  const std::span<std::byte> space = rounds.add(to, letter.subject, letter.bytes);
  ASSERT_EQ(space.size(), letter.bytes);
  if (letter.bytes != 0) std::memcpy(space.data(), letter.words.data(), letter.bytes);
}

/// What comes, by sender, in order.
class Inbox {
 public:
  explicit Inbox(SharedRounds& rounds) : from_(rounds.parts()) {
    for (std::size_t subject = 0; subject < launch::subjects; ++subject) {
      rounds.set_reader(
          static_cast<Subject>(subject),
          [this, subject](std::size_t from, std::span<const std::byte> letter) {
            std::vector<std::uint32_t> words((letter.size() + 3) / 4);
            if (!letter.empty()) std::memcpy(words.data(), letter.data(), letter.size());
            from_[from].push_back({static_cast<Subject>(subject), std::move(words), letter.size()});
          });
    }
  }
  std::vector<Letter> take(std::size_t from) { return std::exchange(from_[from], {}); }

 private:
  std::vector<std::vector<Letter>> from_;
};

struct Meeting {
  std::size_t parts;
  unsigned looks;
};
void PrintTo(const Meeting& meeting, std::ostream* out) {
  *out << meeting.parts << " parts, " << meeting.looks << " looks";
}

class SharedRoundsOf : public testing::TestWithParam<Meeting> {
 protected:
  void on_parts(const std::function<void(SharedRounds&)>& body) {
    SharedRoundsMemory memory(GetParam().parts, addresses);
    on_threads(GetParam().parts, [&](std::size_t part) {
      SharedRounds rounds(memory, part, GetParam().looks, does_nothing);
      EXPECT_EQ(rounds.own_part(), part);
      EXPECT_EQ(rounds.parts(), GetParam().parts);
      body(rounds);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(, SharedRoundsOf,
                         testing::Values(Meeting{1, 1}, Meeting{2, 1}, Meeting{2, 1000},
                                         Meeting{3, 1}, Meeting{3, 1000}, Meeting{4, 1},
                                         Meeting{4, 1000}),
                         [](const auto& info) {
                           return std::to_string(info.param.parts) + "_" +
                                  std::to_string(info.param.looks);
                         });

TEST_P(SharedRoundsOf, BringLettersWholeInOrderWhenPartsMeet) {
  constexpr int rounds_to_meet = 150;
  on_parts([](SharedRounds& rounds) {
    const std::size_t own = rounds.own_part();
    Inbox inbox(rounds);
    for (int round = 0; round < rounds_to_meet; ++round) {
      for (std::size_t to = 0; to < rounds.parts(); ++to) {
        if (to == own) continue;
        for (const Letter& letter : letters_of(round, own, to)) write(rounds, to, letter);
      }
      rounds.arrive({});
      EXPECT_TRUE(rounds.meet(never));
      for (std::size_t from = 0; from < rounds.parts(); ++from) {
        if (from == own) continue;
        EXPECT_TRUE(inbox.take(from) == letters_of(round, from, own)) << "round " << round;
      }
    }
  });
}

Time random_time(std::mt19937& random) {
  return random() % 4 == 0 ? Time::max()
                           : Time::picoseconds(static_cast<std::int64_t>(random() % 1'000'000));
}

Front front_of(int round, std::size_t part) {
  std::mt19937 random = random_for(round, part, 7);
  return {random_time(random), random_time(random), random_time(random),
          random_time(random), random_time(random), random() % 2 == 0};
}

/// What a part says that comes to another, or to itself: times at routers, then at nodes.
std::vector<std::pair<Time, Time>> coming_of(int round, std::size_t from, std::size_t to) {
  std::mt19937 random = random_for(round, from, to);
  std::vector<std::pair<Time, Time>> coming(random() % 3);
  for (auto& [at_routers, at_nodes] : coming) {
    at_routers = random_time(random);
    at_nodes = random_time(random);
  }
  return coming;
}

std::vector<Front> expected_fronts(int round, std::size_t parts) {
  std::vector<Front> fronts;
  for (std::size_t to = 0; to < parts; ++to) {
    Front front = front_of(round, to);
    for (std::size_t from = 0; from < parts; ++from) {
      for (const auto& [at_routers, at_nodes] : coming_of(round, from, to)) {
        front.coming_to_routers = std::min(front.coming_to_routers, at_routers);
        front.coming_to_nodes = std::min(front.coming_to_nodes, at_nodes);
      }
    }
    fronts.push_back(front);
  }
  return fronts;
}

bool equal(const Front& one, const Front& other) {
  return one.node == other.node && one.router == other.router &&
         one.router_end == other.router_end && one.coming_to_nodes == other.coming_to_nodes &&
         one.coming_to_routers == other.coming_to_routers && one.gives_up == other.gives_up;
}

TEST_P(SharedRoundsOf, TellAllPartsHowFarEachHasComeAndWhatComesToIt) {
  constexpr int rounds_to_meet = 500;
  on_parts([](SharedRounds& rounds) {
    const std::size_t own = rounds.own_part();
    for (int round = 0; round < rounds_to_meet; ++round) {
      for (std::size_t to = 0; to < rounds.parts(); ++to) {
        for (const auto& [at_routers, at_nodes] : coming_of(round, own, to)) {
          rounds.expect_at_routers(to, at_routers);
          rounds.expect_at_nodes(to, at_nodes);
        }
      }
      rounds.arrive(front_of(round, own));
      EXPECT_TRUE(rounds.meet(never));
      const std::vector<Front> expected = expected_fronts(round, rounds.parts());
      EXPECT_TRUE(std::equal(rounds.fronts().begin(), rounds.fronts().end(), expected.begin(),
                             expected.end(), equal))
          << "round " << round;
    }
  });
}

// A part that slept on until its time is up would be asked to look after the others in each round.
TEST(SharedRoundsTest, ASleeperIsWokenByTheLastThatArrives) {
  constexpr int rounds_to_meet = 300;
  SharedRoundsMemory memory(2, addresses);
  std::atomic<int> looks_after_others = 0;
  on_threads(2, [&](std::size_t part) {
    SharedRounds rounds(memory, part, 1, [&] { ++looks_after_others; });
    for (int round = 0; round < rounds_to_meet; ++round) {
      rounds.arrive({});
      EXPECT_TRUE(rounds.meet(never));
    }
  });
  EXPECT_LT(looks_after_others, rounds_to_meet / 2);
}

TEST(SharedRoundsTest, ASleeperLooksAfterTheOthersNowAndThen) {
  SharedRoundsMemory memory(2, addresses);
  std::atomic<int> times = 0;
  on_threads(2, [&](std::size_t part) {
    SharedRounds rounds(memory, part, 1, [&] { ++times; });
    while (part == 1 && times < 2) {
    }
    rounds.arrive({});
    EXPECT_TRUE(rounds.meet(never));
  });
  EXPECT_GE(times, 2);
}

/// Of waits that all end in time, or none does: how many were begun with more than one look.
unsigned tries(launch::Looks& looks, unsigned waits, bool in_time) {
  unsigned tries = 0;
  for (unsigned wait = 0; wait < waits; ++wait) {
    const unsigned count = looks.begin();
    tries += count > 1 ? 1 : 0;
    looks.end(count, in_time && count > 1);
  }
  return tries;
}

TEST(Looks, AreGivenUpWhereTheyDoNotPayAndTakenUpAgainWhereTheyDo) {
  launch::Looks looks(1000);
  EXPECT_EQ(tries(looks, 100, true), 100U);
  const unsigned in_vain = tries(looks, 1000, false);
  EXPECT_GT(in_vain, 10U);
  EXPECT_LT(in_vain, 30U);  // the first few, and then one now and then
  EXPECT_GT(tries(looks, 1000, true), 900U);
}

/// The CPU time that a worker takes which waits a hundred times for one that is always late.
std::int64_t waiting_ns(unsigned looks) {
  SharedRoundsMemory memory(2, addresses);
  std::int64_t taken = 0;
  on_threads(2, [&](std::size_t part) {
    SharedRounds rounds(memory, part, looks, does_nothing);
    rusage before{};
    getrusage(RUSAGE_THREAD, &before);
    const std::int64_t begin = thread_ns();
    for (int round = 0; round < 100; ++round) {
      if (part == 1) std::this_thread::sleep_for(std::chrono::milliseconds(4));
      rounds.arrive({});
      ASSERT_TRUE(rounds.meet(never));
    }
    rusage after{};
    getrusage(RUSAGE_THREAD, &after);
    if (part != 0) return;
    taken = thread_ns() - begin;
    EXPECT_GE(after.ru_nvcsw - before.ru_nvcsw, 80);  // it has slept
  });
  return taken;
}

TEST(SharedRoundsTest, AWorkerThatWaitsForLongSleepsAndLeavesTheCpuToOthers) {
  constexpr unsigned for_a_millisecond = 30'000;
  const std::int64_t looks_first = waiting_ns(for_a_millisecond);
  const std::int64_t sleeps_at_once = waiting_ns(1);
  EXPECT_LT(looks_first, sleeps_at_once + 50'000'000);  // not a hundred times so long
}

class Stopping : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(, Stopping, testing::Values(1, 1000), testing::PrintToStringParamName());

TEST_P(Stopping, AMeetingThatIsStoppedGoesOnWhenItIsAskedAgain) {
  SharedRoundsMemory memory(3, addresses);
  std::atomic<bool> others_may_come = false;
  const Letter letter{Subject::value, {1, 2, 3}, 12};
  on_threads(3, [&](std::size_t part) {
    std::atomic<bool> stopped = false;
    SharedRounds rounds(memory, part, GetParam(), [&] { stopped = true; });
    Inbox inbox(rounds);
    if (part == 0) {
      rounds.arrive({});
      EXPECT_FALSE(rounds.meet(stopped));  // it sleeps when it is stopped
      EXPECT_FALSE(rounds.meet(stopped));  // at once
      EXPECT_TRUE(inbox.take(1).empty());
      others_may_come = true;
    } else {
      while (!others_may_come) {
      }
      write(rounds, 0, letter);
      rounds.arrive({});
    }
    for (stopped = false; !rounds.meet(stopped);) stopped = false;
    EXPECT_EQ(inbox.take(1), (std::vector<Letter>(part == 0 ? 1 : 0, letter)));
    EXPECT_EQ(inbox.take(2), (std::vector<Letter>(part == 0 ? 1 : 0, letter)));
    // Where all are there nothing is left to be stopped.
    rounds.arrive({});
    EXPECT_TRUE(rounds.meet(never));
    EXPECT_TRUE(inbox.take(1).empty());
  });
}

TEST(SharedRoundsTest, APartThatWaitsReadsWhatAnotherHasWrittenSoFar) {
  SharedRoundsMemory memory(2, addresses);
  const Letter first{Subject::output, {1, 2}, 8};
  const Letter other{Subject::met, {3}, 4};
  const Letter second{Subject::output, {4, 5, 6}, 9};
  std::atomic<bool> written = false;
  std::atomic<bool> read = false;
  on_threads(2, [&](std::size_t part) {
    std::vector<Letter> early;
    SharedRounds* waiting = nullptr;
    Inbox* filled = nullptr;
    SharedRounds rounds(memory, part, 1, [&] {
      if (!written || read) return;
      waiting->read_early(1, Subject::output);
      early = filled->take(1);
      read = true;
    });
    Inbox inbox(rounds);
    waiting = &rounds;
    filled = &inbox;
    for (int round = 0; round < 3; ++round) {  // in a later one, too, there is no earlier letter
      rounds.arrive({});
      EXPECT_TRUE(rounds.meet(never));
    }
    if (part == 1) {
      for (const Letter& letter : {first, other, second}) write(rounds, 0, letter);
      written = true;
      while (!read) {
      }
      write(rounds, 0, first);
      rounds.arrive({});
      EXPECT_TRUE(rounds.meet(never));
      return;
    }
    rounds.arrive({});
    EXPECT_TRUE(rounds.meet(never));
    EXPECT_EQ(early, (std::vector<Letter>{first, second}));
    EXPECT_EQ(inbox.take(1), (std::vector<Letter>{first, other, second, first}));
  });
}

TEST(SharedRoundsTest, ALetterForWhichThereIsNoRoomEndsTheProcess) {
  SharedRoundsMemory memory(2, 1 << 20);
  SharedRounds rounds(memory, 0, 1, does_nothing);
  rounds.add(1, Subject::output, 100'000);
  EXPECT_DEATH(rounds.add(1, Subject::output, 100'000 << 4),
               "parts tell each other more in a round than there are addresses for");
}

}  // namespace
