// Jobs of several workers: how they end and what they say, beside the same job by one worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/parameter_name.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using launch_test::without_places;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::MatchesRegex;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// Six ranks, each on a node of another block: two workers have three each, three have two.
const std::string spread = "-n 6 -N 1 -L 0,8,16,24,32,40 ";

/// `env`'s words: the host may ignore signals. More workers than CPUs there may be only so.
std::string by(int workers) { return "--default-signal CASTOR_WORKERS=" + std::to_string(workers); }

void expect_the_same(const CommandResult& first, const CommandResult& other,
                     const std::string& where) {
  EXPECT_EQ(other.code, first.code) << where;
  EXPECT_EQ(other.output, first.output) << where;
  EXPECT_EQ(other.errors, first.errors) << where;
}

/// How long a run goes on in which only polling is left is chance.
CommandResult without_fingerprint(CommandResult result) {
  result.errors = std::regex_replace(result.errors, std::regex("fingerprint [0-9a-f]+"), "");
  return result;
}

// ---- A rank that goes wrong

struct Way {
  std::string name;  ///< of the program bad_rank
  int code;
  std::string says;  ///< in aprun's lines; RANK stands for the rank
  std::string options = "";
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name << " " << way.options; }

class ABadRank : public testing::TestWithParam<Way> {
 protected:
  static CommandResult run(const std::string& ranks, int workers) {
    return aprun(
        spread + GetParam().options + sample("bad_rank") + " " + GetParam().name + " " + ranks,
        by(workers));
  }
};

INSTANTIATE_TEST_SUITE_P(
    , ABadRank,
    testing::Values(
        Way{"abort", 7, "rank RANK: called MPI_Abort with error code 7\n"},
        Way{"leave", 3, "rank RANK: its process has ended (exit code 3) without MPI_Finalize"},
        Way{"leave_well", 1, "rank RANK: its process has ended (exit code 0) without MPI_Finalize"},
        Way{"status", 5, "Application 1000001 exit codes: 5 (rank RANK)\n"},
        Way{"store", 128 + 11, "rank RANK: Segmentation fault at address 0x0\n"},
        Way{"abort_c", 128 + 6, "rank RANK: Aborted\n"},
        Way{"terminate", 128 + 15, "rank RANK: Terminated\n"},
        Way{"kill", 128 + 9, "rank RANK: Killed\n"},
        Way{"work", 128 + 24, "-t: the run has been ended at virtual time 0.005000 s\n", "-t 5ms "},
        Way{"receive", 1, "deadlock: 6 ranks have not ended and nothing will happen any more\n"}),
    [](const auto& info) { return info.param.name; });

TEST_P(ABadRank, EndsTheJobAsWithOneWorker) {
  if (GetParam().name == "store" && SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports faults";
  for (const std::string rank : {"0", "5"}) {
    const CommandResult first = run(rank, 1);
    EXPECT_EQ(first.code, GetParam().code) << first.errors;
    EXPECT_THAT(lines_of(first.output),
                IsSupersetOf({std::string("rank 0 of 6"), std::string("rank 5 of 6"),
                              "rank " + rank + " goes wrong"}));
    EXPECT_THAT(first.errors,
                HasSubstr(std::regex_replace(GetParam().says, std::regex("RANK"), rank)));
    for (const int workers : {2, 3}) {
      expect_the_same(first, run(rank, workers),
                      std::to_string(workers) + " workers, rank " + rank);
    }
  }
}

/// An unfinished line of standard error comes behind the lines about the crash.
TEST(ACrash, SaysTheLastWordsOfARankOfAnotherWorker) {
  if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports faults";
  const CommandResult result = aprun("-q " + spread + sample("bad_rank") + " store 5", by(2));
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre("[NID 00040] Apid 1000001: rank 5: Segmentation fault at address 0x0",
                          "Application 1000001 exit signals: Segmentation fault",
                          "rank 5's last words: about to store"));
}

/// Each of the workers 1 and 2 has one.
TEST(ACrash, OfTwoRanksAtOnceIsSaidOnce) {
  if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports faults";
  const CommandResult result = aprun("-q " + spread + sample("bad_rank") + " store 2,4", by(3));
  EXPECT_EQ(result.code, 128 + 11);
  const std::vector<std::string> lines = lines_of(result.errors);
  EXPECT_EQ(std::count(lines.begin(), lines.end(),
                       "Application 1000001 exit signals: Segmentation fault"),
            1)
      << result.errors;
}

/// The rank may be of any part: the fault is in its node's NIC.
TEST(ACrash, OfTheNicNamesTheRankWhoseMemoryHasGone) {
  if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports faults";
  for (const std::string rank : {"0", "1", "5"}) {
    const CommandResult result =
        aprun("-q " + spread + "--compute modelled " + sample("gone") + " unmapped " + rank, by(3));
    EXPECT_EQ(result.code, 128 + 11);
    EXPECT_THAT(
        lines_of(result.errors),
        ElementsAre(MatchesRegex(".NID [0-9]+. Apid 1000001: rank " + rank +
                                 ": Segmentation fault at address 0x[0-9a-f]+, where the NIC finds "
                                 "no more of the memory that the rank has registered; the rank is "
                                 "in MPI_Bcast"),
                    "Application 1000001 exit signals: Segmentation fault"));
  }
}

/// The next call finds it, and the line comes behind what the rank has written.
TEST(AFrameBeyondTheStack, OfARankOfAnotherWorkerEndsTheJobAsWithOneWorker) {
  for (const std::string rank : {"1", "5"}) {
    const auto run = [&](int workers) {
      return run_command("env " + by(workers) + " sh -c '" + tool("aprun") + " -q " + spread +
                         sample("bad_rank") + " reach_beyond " + rank + " 2>&1'");
    };
    const CommandResult first = run(1);
    EXPECT_EQ(first.code, 1);
    EXPECT_THAT(first.output,
                EndsWith("rank " + rank + " goes wrong\naprun: rank " + rank +
                         ": its stack has overflowed; raise CASTOR_STACK_SIZE (now 8M)\n"));
    for (const int workers : {2, 3}) {
      expect_the_same(first, run(workers), std::to_string(workers) + " workers, rank " + rank);
    }
  }
}

TEST(ADeadlock, OfSeveralWorkersSaysWhatAllRanksAreDoing) {
  for (const std::string rank : {"0", "5"}) {
    const CommandResult result =
        aprun("-q " + spread + sample("bad_rank") + " receive " + rank, by(3));
    EXPECT_EQ(result.code, 1);
    const std::string bad = "aprun: rank " + rank +
                            ": in MPI_Recv: receive of up to 4 bytes from rank " +
                            (rank == "0" ? "1" : "0") + ", tag 5, MPI_COMM_WORLD";
    const std::string others = std::string("aprun: ranks ") + (rank == "0" ? "1-5" : "0-4") +
                               ": in MPI_Barrier on MPI_COMM_WORLD; rank " + rank +
                               " has not called it";
    EXPECT_THAT(lines_of(without_places(result.errors)),
                UnorderedElementsAre(StartsWith("aprun: deadlock: 6 ranks"), bad, others));
  }
}

TEST(ADeadlock, IsSeenWhereThreadsOfSeveralWorkersPoll) {
  for (const std::string threads :
       {"-e MPICH_MAX_THREAD_SAFETY=multiple -e MPICH_ASYNC_PROGRESS=1 ", "-e CASTOR_NOISE=1 "}) {
    for (const std::string rank : {"0", "5"}) {
      const std::string job = spread + threads + sample("bad_rank") + " receive " + rank;
      const CommandResult first = without_fingerprint(aprun(job, by(1)));
      EXPECT_EQ(first.code, 1);
      EXPECT_THAT(first.errors, HasSubstr("aprun: deadlock: 6 ranks have not ended"));
      for (const int workers : {2, 3}) {
        expect_the_same(first, without_fingerprint(aprun(job, by(workers))),
                        threads + std::to_string(workers) + " workers, rank " + rank);
      }
    }
  }
}

// ---- Several that go wrong or write at nearly the same time, and what ranks tell each other

struct Job {
  std::string program;
  int code;
  std::string options = "";
};
void PrintTo(const Job& job, std::ostream* out) { *out << job.options << job.program; }

/// 24 ranks on twelve nodes, each of another block.
class Ranks : public testing::TestWithParam<Job> {};

INSTANTIATE_TEST_SUITE_P(Of, Ranks,
                         testing::Values(Job{"turns lines", 0}, Job{"turns streams", 0},
                                         Job{"turns streams", 0, "-l "}, Job{"turns aborts", 11},
                                         Job{"turns aborts", 11, "-e CASTOR_STARTUP_EXCHANGE=200 "},
                                         Job{"turns leaves", 11}, Job{"turns statuses", 17},
                                         Job{"turns steps", 152, "-t 1ms "}, Job{"turns values", 0},
                                         Job{"turns values", 0, "-e CASTOR_STARTUP_EXCHANGE=200 "},
                                         Job{"pmi_job exchange", 0}, Job{"pmi_job key_values", 0},
                                         Job{"pmi_job mistakes_of_one", 0}, Job{"pmi_job put", 0},
                                         Job{"pmi_job abort 6", 6}, Job{"pmi_job leave 0", 1},
                                         Job{"pmi2_job", 0}),
                         [](const auto& info) {
                           return castor_test::parameter_name(
                               info.index, info.param.options + info.param.program);
                         });

TEST_P(Ranks, OfSeveralWorkersWriteBothStreamsInOneOrder) {
  std::string nodes = "-L 0";
  for (int node = 1; node < 12; ++node) nodes += "," + std::to_string(8 * node);
  const auto run = [&](int workers) {
    return run_command("env " + by(workers) + " sh -c '" + tool("aprun") + " -n 24 -N 2 " + nodes +
                       " --compute modelled " + GetParam().options + sample(GetParam().program) +
                       " 2>&1'");
  };
  const CommandResult first = run(1);
  EXPECT_EQ(first.code, GetParam().code) << first.output;
  EXPECT_THAT(first.output, HasSubstr("castor: virtual time "));
  for (const int workers : {2, 3}) {
    expect_the_same(first, run(workers), std::to_string(workers) + " workers");
  }
}

// ---- From outside

/// aprun with bad_rank (shells ignore some signals for what runs behind them), whose rank `bad`
/// goes on in the given way; meanwhile the shell does `then`: $aprun and ${others[@]} are the
/// workers' processes, $file ends the way `wait`. None of the workers outlives this, or it ends in
/// no minute.
CommandResult meanwhile(int workers, const std::string& way, const std::string& bad,
                        const std::string& then, const std::string& options = "") {
  const castor_test::TestFolder folder;
  const std::string file = folder / "go_on";
  return run_command(
      "bash -c 'file=" + file + "; env " + by(workers) + " " + tool("aprun") + " -q " + spread +
      options + sample("bad_rank") + " " + way + " " + bad + " " + file +
      " 2>$file.errors & aprun=$!; until [ -e $file.there ]; do sleep 0.02; done; "
      "read -ra others </proc/$aprun/task/$aprun/children; " +
      then +
      " wait $aprun 2>/dev/null; code=$?; cat $file.errors >&2; for each in ${others[@]}; do "
      "while [ -e /proc/$each ] && ! grep -q ^State:.Z /proc/$each/status 2>/dev/null; do "
      "sleep 0.02; done; done; exit $code'");
}

std::vector<std::string> lines_of_all(const std::string& bad) {
  std::vector<std::string> lines;
  for (int rank = 0; rank < 6; ++rank) lines.push_back("rank " + std::to_string(rank) + " of 6");
  lines.push_back("rank " + bad + " goes wrong");
  lines.push_back("rank " + bad + " goes on");
  return lines;
}

/// What the ranks are doing, where rank `bad` goes on.
void expect_states(const std::string& errors, const std::string& first_line,
                   const std::string& bad) {
  const std::string others = bad == "0" ? "ranks 1-5" : "ranks 0-4";
  EXPECT_THAT(
      lines_of(without_places(errors)),
      UnorderedElementsAre(StartsWith(first_line), StartsWith("aprun: rank " + bad + ": "),
                           "aprun: " + others + ": in MPI_Barrier on MPI_COMM_WORLD; rank " + bad +
                               " has not called it"));
}

class FromOutside : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Rank, FromOutside, testing::Values("0", "5"),
                         [](const auto& info) { return info.param; });

TEST_P(FromOutside, SigquitSaysWhatAllRanksAreDoingAndTheRunGoesOn) {
  for (const int workers : {2, 3}) {
    const CommandResult result =
        meanwhile(workers, "wait", GetParam(),
                  "kill -QUIT $aprun; until grep -q has.not.called $file.errors; do sleep 0.02; "
                  "done; touch $file;");
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(lines_of(result.output), IsSupersetOf(lines_of_all(GetParam())));
    EXPECT_EQ(lines_of(result.output).back(), "the end");
    expect_states(result.errors, "aprun: SIGQUIT: what the ranks are doing at virtual time ",
                  GetParam());
  }
}

TEST_P(FromOutside, SigquitIsAnsweredWhereARankComputesOrIsBlocked) {
  for (const std::string way : {"compute", "block"}) {
    const CommandResult result =
        meanwhile(2, way, GetParam(),
                  "kill -QUIT $aprun; until grep -q has.not.called $file.errors; do sleep 0.02; "
                  "done; kill -KILL $aprun;");
    EXPECT_EQ(result.code, 128 + 9);
    expect_states(result.errors, "aprun: SIGQUIT: what the ranks are doing at virtual time ",
                  GetParam());
  }
}

TEST_P(FromOutside, SigintEndsTheRunWithWhatAllRanksAreDoing) {
  // One that computes writes its last line in a round that does not end.
  for (const std::string way : {"wait", "compute", "block"}) {
    const CommandResult result = meanwhile(3, way, GetParam(), "kill -INT $aprun;");
    EXPECT_EQ(result.code, 128 + 2);
    EXPECT_THAT(lines_of(result.output), IsSupersetOf(lines_of_all(GetParam())));
    expect_states(result.errors, "aprun: SIGINT (Interrupt) has ended the run at virtual time ",
                  GetParam());
  }
}

TEST_P(FromOutside, ALimitEndsTheRunWithWhatAllRanksAreDoing) {
  const CommandResult result = meanwhile(2, "wait", GetParam(), "", "--limit 1s ");
  EXPECT_EQ(result.code, 124);
  EXPECT_THAT(lines_of(result.output), IsSupersetOf(lines_of_all(GetParam())));
  expect_states(
      result.errors,
      "aprun: --limit: the run has taken 1 s on this host and has been ended at virtual time ",
      GetParam());
}

TEST_P(FromOutside, TheEndOfAWorkerIsSaidAndEndsTheRun) {
  for (const std::string number : {"1", "2"}) {
    const CommandResult result =
        meanwhile(3, "wait", GetParam(), "kill -KILL ${others[" + number + " - 1]};");
    EXPECT_EQ(result.code, 128 + 9);
    EXPECT_THAT(lines_of(result.output), IsSupersetOf(lines_of_all(GetParam())));
    EXPECT_EQ(result.errors, "aprun: worker " + number + " was ended by SIGKILL (Killed)\n");
  }
}

// As pkill sends them: the first worker ends the run.
TEST_P(FromOutside, OtherWorkersLeaveSignalsToTheFirst) {
  for (const std::string way : {"wait", "compute"}) {
    const CommandResult result =
        meanwhile(3, way, GetParam(),
                  "for number in HUP INT QUIT TERM; do kill -$number ${others[@]}; done; "
                  "sleep 0.1; kill -TERM ${others[@]} $aprun;");
    EXPECT_EQ(result.code, 128 + 15);
    expect_states(result.errors, "aprun: SIGTERM (Terminated) has ended the run at virtual time ",
                  GetParam());
  }
}

TEST_P(FromOutside, NoWorkerOutlivesTheFirst) {
  const CommandResult result = meanwhile(3, "wait", GetParam(), "kill -KILL $aprun;");
  EXPECT_EQ(result.code, 128 + 9);
  EXPECT_EQ(result.errors, "");
}

// script(1) gives it a terminal: each second the run is interrupted for the line.
TEST(Progress, IsALineOnATerminalWithSeveralWorkers) {
  if (!launch_test::has_terminals()) GTEST_SKIP() << "no pseudo-terminal here (/dev/pts)";
  const castor_test::TestFolder folder;
  const CommandResult shown =
      run_command("env " + by(2) + " script -qec \"" + tool("aprun") + " --limit 1500ms " + spread +
                  sample("bad_rank") + " wait 5 " + (folder / "never") + "\" /dev/null");
  EXPECT_EQ(shown.code, 124);
  EXPECT_THAT(shown.output, HasSubstr("\r\033[Kcastor: virtual time "));
  EXPECT_THAT(shown.output, HasSubstr(" 0 of 6 ranks ended, 1 s"));
  EXPECT_THAT(shown.output, HasSubstr("aprun: --limit: the run has taken 1.5 s on this host"));
}

// ---- How many

std::size_t cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

std::string any_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return std::to_string(cpu);
}

const std::string well = sample("bad_rank") + " not";

TEST(Workers, NumbersThatCannotBeAreRefused) {
  for (const std::string number : {"0", "65", "x", "-1"}) {
    const CommandResult result = aprun("--workers " + number + " " + well);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors,
              "aprun: --workers '" + number + "': must be a whole number from 1 to 64\n");
  }
  for (const std::string number : {"65", "auto"}) {
    const CommandResult result = aprun(well, "CASTOR_WORKERS=" + number);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.errors,
              "aprun: CASTOR_WORKERS=" + number + ": allowed is a whole number from 0 to 64\n");
  }
}

TEST(Workers, AreRefusedLive) {
  const CommandResult result = aprun("--clock live --workers 2 -n 2 " + well);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "aprun: --workers: live, each rank is a process; leave it out\n");
}

TEST(Workers, WhatNoneOfThemCanDoIsSaidOnce) {
  const CommandResult result =
      aprun("-n 100000 -N 16 --compute modelled " + sample("mpi_job"), by(3));
  if (result.code == 0) GTEST_SKIP() << "the kernel allows so many mappings";
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(lines_of(result.errors), ElementsAre(HasSubstr("no room for 100000 copies")));
}

TEST(Workers, WithoutAddressesForWhatTheyShareAreRefused) {
  if (SANITIZED != 0) GTEST_SKIP() << "sanitizers need far more addresses";
  const CommandResult result = run_command("env " + by(2) + " bash -c 'ulimit -v 50000000; exec " +
                                           tool("aprun") + " -q " + spread + well + "'");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(lines_of(result.errors),
              Contains("aprun: --workers: the host has no 512 GiB of addresses for what workers "
                       "share (ulimit -v?)"));
}

/// The first line about a job of six ranks, and with -v the last.
std::string first_line(const std::string& options, const std::string& before = "") {
  const CommandResult result = run_command(before + tool("aprun") + " " + options + spread + well);
  EXPECT_EQ(result.code, 0) << result.errors;
  return lines_of(result.errors).front();
}

TEST(Workers, FewerThanAskedForAreSaid) {
  const auto line = [](const std::string& count, const std::string& why) {
    return "castor: --workers: " + count + " the job: " + why;
  };
  EXPECT_EQ(first_line("--workers 2 ", "taskset -c " + any_cpu() + " "),
            line("1 runs", "this host has 1 CPU for aprun"));
  if (cpus() < 2) GTEST_SKIP() << "the other lines need two CPUs";
  if (cpus() < 64) {
    const std::string count = std::to_string(cpus());
    EXPECT_EQ(first_line("--workers 64 --system 8x8x8 "),
              line(std::to_string(std::min<std::size_t>(cpus(), 6)) + " run",
                   cpus() < 6 ? "this host has " + count + " CPUs for aprun"
                              : "the job has 6 blocks of Geminis"));
  }
  EXPECT_EQ(first_line("--workers 2 --compute measured "), line("1 runs", "computing is measured"));
  EXPECT_THAT(first_line("--workers 2 "), HasSubstr("6 ranks on 6 nodes"));
  const CommandResult near = aprun("--workers 2 -n 6 -N 1 " + well);
  EXPECT_EQ(lines_of(near.errors).front(), line("1 runs", "the job has 1 block of Geminis"));
}

TEST(Workers, FewerThanAskedForAreNotSaidToTheQuietOrOfTheVariable) {
  EXPECT_EQ(aprun("-q --workers 2 --compute measured -n 2 " + well).errors, "");
  EXPECT_THAT(first_line("-e CASTOR_WORKERS=2 --compute measured "),
              HasSubstr("6 ranks on 6 nodes"));
  EXPECT_THAT(first_line("--workers auto "), HasSubstr("6 ranks on 6 nodes"));
}

TEST(Workers, AreSaidWithWhatEachTookIfWanted) {
  const auto last_line = [](const std::string& number) {
    const CommandResult result = aprun("-v " + spread + well, "CASTOR_WORKERS=" + number);
    EXPECT_EQ(result.code, 0) << result.errors;
    return lines_of(result.errors).back();
  };
  const std::string seconds = "[0-9]+\\.[0-9][0-9]";
  EXPECT_THAT(last_line("2"),
              MatchesRegex("castor: 2 workers: " + seconds + " \\+ " + seconds +
                           " s of CPU time, " + seconds + " \\+ " + seconds +
                           " GB at most; they have met [0-9]+ times and written each other "
                           "[0-9]+\\.[0-9] MB"));
  // No more than the job has blocks, and none where they gain nothing.
  EXPECT_THAT(last_line("7"), StartsWith("castor: 6 workers: "));
  EXPECT_THAT(last_line("0"), StartsWith("castor: virtual time "));
}

}  // namespace
