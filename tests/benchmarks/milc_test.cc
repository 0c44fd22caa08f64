// MILC's gathers as users run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

using ::testing::SizeIs;

constexpr const char* header =
    "ranks,operators,time,wait_mean,wait_max,run,run_wait_mean,run_wait_max,ok";
constexpr const char* phase_one =
    "MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple";
constexpr const char* phase_two =
    "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple";

std::vector<std::string> row_of(const Outcome& outcome) {
  const auto rows = rows_of(outcome, header);
  if (rows.size() != 1) return std::vector<std::string>(9);
  return rows[0];
}

TEST(Milc, IsRightInEveryDesignAndRepeats) {
  for (const char* design : {"", phase_one, phase_two}) {
    const Outcome once = aprun("-n 24 -N 8 -r 1", "milc -i 4 --space 16 --time 36 --csv", design);
    EXPECT_EQ(row_of(once)[0], "24");
    EXPECT_EQ(row_of(once)[8], "yes") << once.err;
    EXPECT_EQ(once.out,
              aprun("-n 24 -N 8 -r 1", "milc -i 4 --space 16 --time 36 --csv", design).out);
  }
}

TEST(Milc, RanksWaitForThoseThatHaveMoreToDo) {
  const auto even =
      row_of(aprun("-n 32 -N 8", "milc -i 4 --space 32 --time 36 --csv --imbalance 0"));
  const auto uneven =
      row_of(aprun("-n 32 -N 8", "milc -i 4 --space 32 --time 36 --csv --imbalance 0.5"));
  EXPECT_GT(number(uneven[2]), number(even[2]));
  EXPECT_GT(number(uneven[4]), 2 * number(even[4]));
}

TEST(Milc, ProgressThreadsShortenTheWaits) {
  const auto none =
      row_of(aprun("-n 16 -N 1", "milc -i 4 --space 32 --time 36 --csv --imbalance 0"));
  const auto with = row_of(
      aprun("-n 16 -N 1 -r 1", "milc -i 4 --space 32 --time 36 --csv --imbalance 0", phase_two));
  EXPECT_LT(number(with[3]), 0.5 * number(none[3]));
}

TEST(Milc, AnInterruptThatWakesAllSleepersHoldsUpRanks) {
  const auto time_with = [](const std::string& options) {
    return number(
        row_of(aprun("-n 128 -N 32 " + options,
                     "milc -i 4 --space 32 --time 18 --csv --imbalance 0", phase_one))[2]);
  };
  // Two parts: every rank's CPU switches to a thread and back, and the handler wakes one by one.
  const double one_by_one = time_with("");
  const double switches = time_with("-e CASTOR_INTERRUPT_SLEEPER=0");
  const double own = time_with("-e CASTOR_INBAND_INTERRUPTS=many");
  EXPECT_GT(switches, 1.05 * own);
  EXPECT_GT(one_by_one, 1.05 * switches);
}

TEST(Milc, RanksVaryFromOperatorToOperator) {
  const std::string run = "milc -i 8 --space 32 --time 36 --csv --imbalance 0 --variation ";
  const auto even = row_of(aprun("-n 32 -N 8", run + "0"));
  const auto varied = row_of(aprun("-n 32 -N 8", run + "0.5"));
  EXPECT_GT(number(varied[2]), 1.1 * number(even[2]));
}

TEST(Milc, RefusesWhatItCannotDivide) {
  expect_refusal(aprun("-n 7 -N 7", "milc"),
                 "milc: the lattice cannot be divided among so many ranks");
  expect_refusal(aprun("-n 1", "milc --imbalance 2"),
                 "milc: --imbalance and --variation: at most 1");
}

}  // namespace
}  // namespace benchmarks
