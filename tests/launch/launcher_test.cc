// When the launcher of a job in virtual time hears of what its ranks do.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corespec/threads/thread.h"
#include "tests/support/virtual_job.h"

namespace {

using castor_test::JobOutcome;
using castor_test::run_job;
using castor_test::small_job;
using corespec::Process;
using corespec::Time;

Time ns(double ns) { return Time::nanoseconds(ns); }

/// Computes to the moment: a sleeper would wake up later.
void wait_until(Time time) {
  corespec::Thread& thread = corespec::this_thread();
  thread.charge(time - thread.now());
  ASSERT_EQ(thread.now(), time);
}

/// Ranks on nodes of their own, in four event domains; an exchange takes `exchange_ns`, turns are
/// at most `turn_ns` long (0: as long as they can be).
launch::JobRequest spread_job(int exchange_ns, int turn_ns) {
  launch::JobRequest request = small_job(4);
  request.nids = {0, 16, 32, 48};
  request.settings = {{"CASTOR_STARTUP_EXCHANGE", std::to_string(exchange_ns)},
                      {"CASTOR_LONGEST_TURN", std::to_string(turn_ns)}};
  return request;
}

struct Lengths {
  int exchange_ns;
  int turn_ns;
};

class Launcher : public testing::TestWithParam<Lengths> {
 protected:
  launch::JobRequest job() const { return spread_job(GetParam().exchange_ns, GetParam().turn_ns); }
  Time exchange() const { return ns(GetParam().exchange_ns); }
};

std::string get(Process& rank) {
  std::string value = "none";
  rank.job().get(rank, "key", value);
  return value;
}

TEST_P(Launcher, ShowsAValueToOthersAfterAnExchange) {
  std::vector<std::string> seen;
  run_job(job(), [&](Process& rank) {
    const Time put = ns(30000);
    if (rank.rank() == 2) {
      wait_until(put);
      rank.job().put(rank, "key", "two");
      EXPECT_EQ(get(rank), "two");
      // Rank 1's, which is later, has arrived.
      wait_until(put + exchange() + ns(10));
      EXPECT_EQ(get(rank), "one");
    } else if (rank.rank() == 1) {
      wait_until(put + ns(10));
      rank.job().put(rank, "key", "one");
      wait_until(put + exchange() + ns(5));
      EXPECT_EQ(get(rank), "one");
    } else if (rank.rank() == 0) {
      for (const Time time :
           {put + exchange() - Time::picoseconds(1), put + exchange(),
            put + exchange() + ns(10) - Time::picoseconds(1), put + exchange() + ns(10)}) {
        wait_until(time);
        seen.push_back(get(rank));
      }
    }
    return 0;
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"none", "two", "two", "one"}));
}

TEST_P(Launcher, TakesOfValuesOfOneMomentThatOfTheHighestRank) {
  std::vector<std::string> seen(4);
  run_job(job(), [&](Process& rank) {
    wait_until(ns(30000));
    rank.job().put(rank, "key", std::to_string(rank.rank()));
    wait_until(ns(30000) + exchange());
    seen[static_cast<std::size_t>(rank.rank())] = get(rank);
    return 0;
  });
  EXPECT_EQ(seen, (std::vector<std::string>(4, "3")));
}

TEST_P(Launcher, KeepsTheLastOfManyValues) {
  run_job(job(), [&](Process& rank) {
    for (int round = 0; round < 100; ++round) {
      if (rank.rank() == 0) rank.job().put(rank, "key", std::to_string(round));
      wait_until(ns(50000) + exchange() * 3 * (round + 1));
      EXPECT_EQ(get(rank), std::to_string(round));
    }
    return 0;
  });
}

TEST_P(Launcher, KnowsTheFirstThatFailed) {
  const JobOutcome outcome = run_job(job(), [](Process& rank) {
    const Time time[] = {ns(30020), ns(30010), ns(30010), ns(30000)};
    wait_until(time[rank.rank()]);
    return rank.rank() == 3 ? 0 : 10 + rank.rank();
  });
  EXPECT_EQ(outcome.end.ended, 4);
  EXPECT_EQ(outcome.end.status, 11);
  EXPECT_EQ(outcome.end.first_failed, 1);
  EXPECT_FALSE(outcome.end.aborted);
}

TEST_P(Launcher, EndsAJobAnExchangeAfterTheFirstAbort) {
  std::vector<Time> last(4);
  testing::internal::CaptureStderr();
  const JobOutcome outcome = run_job(job(), [&](Process& rank) {
    const Time begin = ns(30000);
    // Rank 0's is the first that the host runs, but not the first.
    if (rank.rank() == 0) wait_until(begin + ns(40));
    if (rank.rank() == 1) wait_until(begin + ns(10));
    if (rank.rank() < 2) rank.job().abort(rank, 20 + rank.rank(), "has had enough");
    for (Time time = begin + ns(rank.rank());; time += ns(10)) {
      wait_until(time);
      last[static_cast<std::size_t>(rank.rank())] = time;
    }
    return 0;
  });
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(outcome.end.aborted);
  EXPECT_EQ(outcome.end.status, 21);
  EXPECT_EQ(outcome.end.first_failed, 1);
  EXPECT_EQ(outcome.end.ended, 0);
  EXPECT_EQ(outcome.machine.time, ns(30010) + exchange());
  EXPECT_FALSE(outcome.machine.deadlock);
  // Up to then they went on, and not at that moment any more.
  EXPECT_EQ(last[2], ns(30010 - 8) + exchange());
  EXPECT_EQ(last[3], ns(30010 - 7) + exchange());
}

TEST_P(Launcher, EndsAJobByItsTimeLimitIfThatComesFirst) {
  using End = corespec::Engine::End;
  for (const bool limit_first : {false, true}) {
    launch::VirtualRun run(job());
    testing::internal::CaptureStderr();
    run.start([&](Process& rank) {
      wait_until(ns(30000));
      if (rank.rank() == 0) rank.job().abort(rank, 5, "has had enough");
      wait_until(Time::seconds(1));
      return 0;
    });
    const Time heard = ns(30000) + exchange();
    const Time limit = limit_first ? heard - Time::picoseconds(1) : heard;
    run.set_time_limit(limit);
    const corespec::VirtualMachine::Result result = run.run();
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(result.end, limit_first ? End::time_limit : End::stopped);
    EXPECT_EQ(result.time, limit);
    EXPECT_FALSE(result.deadlock);
  }
}

INSTANTIATE_TEST_SUITE_P(With, Launcher,
                         testing::Values(Lengths{20000, 0}, Lengths{20000, 559}, Lengths{20000, 20},
                                         Lengths{200, 0}, Lengths{200, 20}),
                         [](const auto& test) {
                           return "exchange" + std::to_string(test.param.exchange_ns) + "turn" +
                                  std::to_string(test.param.turn_ns);
                         });

}  // namespace
