// A profile's sums: what is booked where, over ranks, on its way to the launcher, as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "corespec/threads/thread.h"
#include "launch/profile/compare_profiles.h"
#include "launch/profile/profile_file.h"
#include "launch/profile/profile_recorder.h"
#include "launch/profile/profile_text.h"
#include "tests/support/test_folder.h"

namespace launch {
namespace {

using corespec::Occurrence;
using corespec::ThreadRole;
using corespec::Time;
using testing::HasSubstr;
using Kind = Occurrence::Kind;

constexpr Time us(double value) { return Time::microseconds(value); }

/// Tells a recorder what one thread does.
class Script {
 public:
  explicit Script(ProfileRecorder& recorder, int rank = 0, std::uint32_t thread = 1,
                  ThreadRole role = ThreadRole::application)
      : recorder_(recorder) {
    base_.rank = rank;
    base_.thread = thread;
    base_.role = static_cast<std::uint8_t>(role);
  }
  void gets_cpu(double at, std::uint32_t cpu = 0, double works_from = -1) {
    tell(Kind::thread_switched, at, works_from < 0 ? at : works_from, nullptr, cpu);
  }
  void leaves_cpu(double at, bool goes_on, std::uint32_t cpu = 0) {
    Occurrence made = base_;
    made.kind = Kind::thread_left;
    made.begin = made.end = us(at);
    made.part = cpu;
    made.goes_on = goes_on;
    recorder_.observe(made);
  }
  void begins(const char* call, double at) { tell(Kind::call_begun, at, at, call); }
  void ends(const char* call, double at) { tell(Kind::call_ended, at, at, call); }
  void lost(double at, const char* call) { tell(Kind::thread_lost, at, at, call); }
  void calls(const char* call, double from, double to) {
    begins(call, from);
    ends(call, to);
  }
  void interrupted(double from, double to, std::uint32_t cpu = 0) {
    tell(Kind::interrupt_raised, from, to, nullptr, cpu);
  }
  void noise(double from, double to) { tell(Kind::noise, from, to, "daemon"); }
  void waits_for_lock(double from, double to, const char* call) {
    tell(Kind::lock_waited, from, to, call);
  }
  void sends(std::uint64_t bytes, const char* protocol, const char* call, bool collective = false) {
    message(Kind::message_sent, bytes, protocol, call, collective ? 1 : 0);
  }
  void receives(std::uint64_t bytes, const char* protocol) {
    message(Kind::message_received, bytes, protocol, nullptr, 0);
  }

 private:
  void tell(Kind kind, double from, double to, const char* call, std::uint32_t part = 0) {
    Occurrence made = base_;
    made.kind = kind;
    made.begin = us(from);
    made.end = us(to);
    made.call = call;
    made.part = part;
    recorder_.observe(made);
  }
  void message(Kind kind, std::uint64_t bytes, const char* protocol, const char* call,
               std::uint32_t part) {
    Occurrence made = base_;
    made.kind = kind;
    made.bytes = bytes;
    made.protocol = protocol;
    made.call = call;
    made.part = part;
    made.peer = 1;
    recorder_.observe(made);
  }

  ProfileRecorder& recorder_;
  Occurrence base_{Kind::call_begun};
};

CallStatistics call_of(const ProfileData& data, const RankProfile& rank, const std::string& name) {
  for (std::size_t i = 0; i < data.calls.size(); ++i) {
    if (data.calls[i] == name && i < rank.calls.size()) return rank.calls[i];
  }
  return {};
}

Time lost(const std::array<Time, losses>& to, Loss which) {
  return to[static_cast<std::size_t>(which)];
}

TEST(ProfileRecorder, DividesARanksTimeIntoComputingAndCalls) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.calls("MPI_Init", 2, 12);
  rank.calls("corespec_work_ns", 15, 115);
  rank.calls("MPI_Send", 120, 125);
  rank.calls("MPI_Send", 125, 135);
  rank.leaves_cpu(140, false);
  const ProfileData data = recorder.take(us(200));
  ASSERT_EQ(data.ranks.size(), 1U);
  const RankProfile& own = data.ranks[0];
  EXPECT_EQ(own.end - own.begin, us(140));
  EXPECT_EQ(call_of(data, own, "MPI_Init").time, us(10));
  EXPECT_EQ(call_of(data, own, "MPI_Send").time, us(15));
  EXPECT_EQ(call_of(data, own, "MPI_Send").calls, 2U);
  EXPECT_EQ(call_of(data, own, "MPI_Send").longest, us(10));
  EXPECT_EQ(own.computing, us(2 + 3 + 100 + 5 + 5)) << "the program's work is computing";
  EXPECT_EQ(own.cpu_time, us(140));
}

TEST(ProfileRecorder, BooksWhatIsStolenToWhatTheThreadDid) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.begins("corespec_work_ns", 10);
  rank.interrupted(20, 25);
  rank.noise(30, 32);
  rank.ends("corespec_work_ns", 117);
  rank.begins("MPI_Wait", 120);
  rank.interrupted(130, 137);
  rank.waits_for_lock(140, 150, "MPI_Wait");
  rank.ends("MPI_Wait", 160);
  rank.leaves_cpu(160, false);
  const ProfileData data = recorder.take(us(160));
  const RankProfile& own = data.ranks.at(0);
  EXPECT_EQ(lost(own.lost_computing, Loss::interrupts), us(5));
  EXPECT_EQ(lost(own.lost_computing, Loss::noise), us(2));
  EXPECT_EQ(lost(own.lost_in_calls, Loss::interrupts), us(7));
  EXPECT_EQ(own.lock_waits, us(10));
  EXPECT_EQ(own.computing, us(10 + 107 - 7 + 3));
  EXPECT_EQ(own.without_cpu, us(14));
}

TEST(ProfileRecorder, ALossBeforeACallBeginsMovesTheCall) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.begins("MPI_Send", 100);  // told ahead: the machine's time is still 0
  rank.interrupted(40, 45);
  rank.ends("MPI_Send", 125);
  rank.leaves_cpu(125, false);
  const ProfileData data = recorder.take(us(125));
  const RankProfile& own = data.ranks.at(0);
  EXPECT_EQ(lost(own.lost_computing, Loss::interrupts), us(5));
  EXPECT_EQ(own.computing, us(100));
  EXPECT_EQ(call_of(data, own, "MPI_Send").time, us(20));
}

TEST(ProfileRecorder, ALossBeforeACallEndsIsTheCalls) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.calls("MPI_Send", 10, 100);  // its charges are still to be worked off
  rank.interrupted(40, 45);
  rank.begins("MPI_Send", 115);
  rank.ends("MPI_Send", 120);
  rank.leaves_cpu(120, false);
  const ProfileData data = recorder.take(us(120));
  const RankProfile& own = data.ranks.at(0);
  EXPECT_EQ(lost(own.lost_in_calls, Loss::interrupts), us(5));
  EXPECT_EQ(call_of(data, own, "MPI_Send").time, us(95 + 5));
  EXPECT_EQ(own.computing, us(10 + 10));
}

TEST(ProfileRecorder, TellsTheThreadThatTookTheCpu) {
  ProfileRecorder recorder;
  Script rank(recorder, 0, 1);
  Script progress(recorder, 0, 2, ThreadRole::progress);
  Script other(recorder, 1, 3);
  rank.gets_cpu(0);
  rank.leaves_cpu(10, true);
  progress.gets_cpu(10);
  progress.leaves_cpu(14, false);
  rank.gets_cpu(14, 0, 15);  // and a cold cache
  rank.leaves_cpu(50, true);
  other.gets_cpu(50);
  other.leaves_cpu(70, true);
  rank.gets_cpu(70, 0, 71);
  rank.leaves_cpu(100, false);
  const ProfileData data = recorder.take(us(100));
  const RankProfile& own = data.ranks.at(0);
  EXPECT_EQ(lost(own.lost_computing, Loss::progress), us(5));
  EXPECT_EQ(lost(own.lost_computing, Loss::others), us(21));
  EXPECT_EQ(own.computing, us(100 - 26));
  EXPECT_EQ(own.service.turns, 1U);
  EXPECT_EQ(own.service.cpu_time, us(4));
  EXPECT_EQ(own.cpu_time, us(10 + 36 + 30));
}

TEST(ProfileRecorder, CallsOfProgressThreadsAreNoneOfTheRanks) {
  ProfileRecorder recorder;
  Script rank(recorder, 0, 1);
  Script progress(recorder, 0, 2, ThreadRole::progress);
  rank.gets_cpu(0);
  progress.calls("GNI_CqWaitEvent", 0, 50);
  progress.sends(100, "E0", nullptr);
  progress.receives(100, "R0");
  const ProfileData data = recorder.take(us(60));
  EXPECT_EQ(call_of(data, data.ranks.at(0), "GNI_CqWaitEvent").calls, 0U);
  EXPECT_EQ(call_of(data, data.ranks.at(0), "(progress thread)").messages, 1U);
  EXPECT_EQ(data.ranks.at(0).service.sent, 1U);
  EXPECT_EQ(data.ranks.at(0).service.received, 1U);
}

TEST(ProfileRecorder, CallsOfARanksOtherThreadsAreBesideItsTime) {
  ProfileRecorder recorder;
  Script rank(recorder, 0, 1);
  Script other(recorder, 0, 2);
  rank.gets_cpu(0);
  other.gets_cpu(0, 1);
  other.calls("MPI_Send", 10, 90);
  rank.calls("MPI_Send", 20, 30);
  rank.leaves_cpu(100, false);
  const ProfileData data = recorder.take(us(100));
  const ProfileSummary summary = summarise(data);
  EXPECT_DOUBLE_EQ(summary.groups[static_cast<std::size_t>(CallGroup::mpi)].total, 10e-6);
  EXPECT_DOUBLE_EQ(summary.computing.total, 90e-6);
  EXPECT_EQ(call_of(data, data.ranks.at(0), "MPI_Send (other threads)").time, us(80));
  EXPECT_EQ(group_of("MPI_Send (other threads)"), CallGroup::others);
  const RunDescription run;
  EXPECT_THAT(profile_text(summary, run), HasSubstr("OTHER THREADS of the ranks, beside it\n"));
}

TEST(ProfileRecorder, AThreadThatHasNotEndedIsInItsCallToTheEnd) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.begins("MPI_Recv", 10);
  rank.leaves_cpu(20, false);  // it sleeps
  const ProfileData data = recorder.take(us(100));
  EXPECT_EQ(call_of(data, data.ranks.at(0), "MPI_Recv").time, us(90));
  EXPECT_EQ(data.ranks.at(0).end, us(100));
}

TEST(ProfileRecorder, ALostThreadsTimeEndsThere) {
  ProfileRecorder recorder;
  Script rank(recorder), other(recorder, 1, 2);
  rank.gets_cpu(0);
  other.gets_cpu(0, 1);
  rank.begins("MPI_Recv", 10);
  other.calls("MPI_Send", 5, 10);
  rank.leaves_cpu(30, false);
  rank.lost(30, "MPI_Recv");
  other.leaves_cpu(30, false, 1);
  other.lost(30, nullptr);
  const ProfileData data = recorder.take(us(100));
  EXPECT_EQ(call_of(data, data.ranks.at(0), "MPI_Recv").time, us(20));
  EXPECT_EQ(data.ranks.at(0).computing, us(10));
  EXPECT_EQ(data.ranks.at(1).computing, us(25));
  for (const RankProfile& each : data.ranks) EXPECT_EQ(each.end, us(30));
}

/// Threads tell of what they charge before the machine's time has come that far.
TEST(ProfileRecorder, NothingLastsLongerThanTheRun) {
  ProfileRecorder recorder;
  Script computes(recorder), calls(recorder, 1, 2), begins(recorder, 2, 3);
  computes.gets_cpu(0);
  calls.gets_cpu(0, 1);
  begins.gets_cpu(0, 2);
  computes.calls("corespec_work_ns", 10, 500);
  calls.calls("MPI_Send", 90, 500);
  begins.begins("MPI_Barrier", 500);  // and computes until then
  const ProfileData data = recorder.take(us(100));
  EXPECT_EQ(data.ranks.at(0).computing, us(100));
  EXPECT_EQ(call_of(data, data.ranks.at(1), "MPI_Send").time, us(10));
  EXPECT_EQ(data.ranks.at(1).computing, us(90));
  EXPECT_EQ(data.ranks.at(2).computing, us(100));
  EXPECT_EQ(call_of(data, data.ranks.at(2), "MPI_Barrier").calls, 0U);
  for (const RankProfile& each : data.ranks) EXPECT_EQ(each.end, us(100));
}

TEST(ProfileRecorder, CountsMessagesByCallKindSizeAndProtocol) {
  ProfileRecorder recorder;
  Script rank(recorder);
  rank.gets_cpu(0);
  rank.begins("MPI_Isend", 1);
  rank.sends(0, "E0", "MPI_Isend");
  rank.sends(4095, "E1", "MPI_Isend");
  rank.sends(4096, "R", "MPI_Isend");
  rank.ends("MPI_Isend", 2);
  rank.sends(8, "node", "MPI_Allreduce", true);
  rank.receives(4096, "R0");
  rank.receives(0, "E0");
  const ProfileData data = recorder.take(us(3));
  const SizeHistogram& own = data.sizes_by_kind[0];
  EXPECT_EQ(own.messages(), 3U);
  EXPECT_EQ(own.messages(0), 1U);
  EXPECT_EQ(own.messages(SizeHistogram::class_of(4095)), 1U);
  EXPECT_EQ(own.bytes(SizeHistogram::class_of(4096)), 4096U);
  EXPECT_EQ(data.sizes_by_kind[1].messages(), 1U);
  EXPECT_EQ(call_of(data, data.ranks.at(0), "MPI_Isend").bytes, 8191U);
  std::map<std::string, std::uint64_t> protocols;
  for (const ProtocolStatistics& each : data.protocols) protocols[each.name] = each.messages;
  const std::map<std::string, std::uint64_t> expected = {
      {"E0", 1}, {"E1", 1}, {"R0", 1}, {"node", 1}};
  EXPECT_EQ(protocols, expected) << "which rendezvous it is, the receiver tells";
}

TEST(SizeHistogram, ClassesDouble) {
  EXPECT_EQ(SizeHistogram::class_of(0), 0U);
  EXPECT_EQ(SizeHistogram::class_of(1), 1U);
  EXPECT_EQ(SizeHistogram::class_of(2), 2U);
  EXPECT_EQ(SizeHistogram::class_of(3), 2U);
  EXPECT_EQ(SizeHistogram::class_of(~0ULL), SizeHistogram::classes - 1);
  for (std::size_t i = 1; i < SizeHistogram::classes; ++i) {
    EXPECT_EQ(SizeHistogram::class_of(SizeHistogram::begin_of(i)), i);
    EXPECT_EQ(SizeHistogram::class_of(SizeHistogram::begin_of(i) - 1), i - 1);
  }
  EXPECT_EQ(size_class_text(0), "0");
  EXPECT_EQ(size_class_text(5), "16 - 31");
  EXPECT_EQ(size_class_text(13), "4K - 8K");
}

/// Ranks with anything in them.
ProfileData random_profile(std::mt19937_64& random, int first, int ranks) {
  ProfileData data;
  for (const char* const name : {"MPI_Send", "ARMCI_Put", "dmapp_get", "corespec_work_ns"}) {
    data.call(name);
  }
  const auto time = [&] { return Time::picoseconds(static_cast<std::int64_t>(random() >> 20)); };
  for (int i = 0; i < ranks; ++i) {
    RankProfile& rank = data.ranks.emplace_back();
    rank.rank = first + i;
    rank.nid = static_cast<int>(random() % 1000);
    rank.begin = time();
    rank.end = rank.begin + time();
    rank.computing = time();
    rank.lock_waits = time();
    for (Time& each : rank.lost_computing) each = time();
    for (Time& each : rank.lost_in_calls) each = time();
    rank.service = {time(), random() >> 10, random() >> 10, random() >> 10};
    rank.cpu_time = time();
    rank.without_cpu = time();
    for (std::size_t call = 0; call < data.calls.size(); ++call) {
      rank.calls.push_back({random() >> 12, time(), time(), random() >> 12, random() >> 12});
      data.sizes[call].add(random() % 100000);
    }
  }
  data.sizes_by_kind[random() % 3].add(random() % 100000);
  data.protocol("E0").messages = random() >> 12;
  return data;
}

TEST(PackedProfile, ComesBackAsItWas) {
  std::mt19937_64 random(46);
  for (int i = 0; i < 20; ++i) {
    const ProfileData data = random_profile(random, 3, 1 + i % 3);
    const std::string packed = pack_profile(data);
    EXPECT_EQ(pack_profile(unpack_profile(packed)), packed);
    const RankProfile& before = data.ranks.back();
    const RankProfile after = unpack_profile(packed).ranks.back();
    EXPECT_EQ(before.computing, after.computing);
    EXPECT_EQ(before.lost_in_calls, after.lost_in_calls);
    EXPECT_EQ(before.calls.back().longest, after.calls.back().longest);
  }
}

TEST(PackedProfile, WhatIsDamagedIsRefused) {
  std::mt19937_64 random(47);
  const std::string packed = pack_profile(random_profile(random, 0, 2));
  for (std::size_t length = 0; length < packed.size(); length += 7) {
    EXPECT_THROW(unpack_profile(packed.substr(0, length)), std::runtime_error) << length;
  }
  EXPECT_THROW(unpack_profile("[]"), std::runtime_error);
  EXPECT_THROW(unpack_profile("{}"), std::runtime_error);
}

TEST(ProfileData, PutsRanksOfSeveralProcessesTogether) {
  ProfileData first;
  first.call("MPI_Send");
  first.ranks.emplace_back().rank = 1;
  first.ranks[0].calls.push_back({3, us(30), us(20), 1, 8});
  ProfileData second;
  second.call("MPI_Recv");
  second.call("MPI_Send");
  second.ranks.emplace_back().rank = 0;
  second.ranks[0].calls = {{1, us(5), us(5), 0, 0}, {1, us(10), us(10), 2, 16}};
  ProfileData all;
  all.add(first);
  all.add(second);
  ASSERT_EQ(all.ranks.size(), 2U);
  EXPECT_EQ(all.ranks[0].rank, 0);
  const ProfileSummary summary = summarise(all);
  ASSERT_EQ(summary.calls.size(), 2U);
  EXPECT_EQ(summary.calls[0].name, "MPI_Send");
  EXPECT_EQ(summary.calls[0].calls, 4U);
  EXPECT_DOUBLE_EQ(summary.calls[0].time.mean, 20e-6);
  EXPECT_EQ(summary.calls[0].time.slowest, 1);
  EXPECT_DOUBLE_EQ(summary.calls[0].time.imbalance_s(), 10e-6);
  EXPECT_NEAR(summary.calls[0].time.imbalance_percent(2), 66.667, 0.001) << "of two: (30-20)/30*2";
  EXPECT_DOUBLE_EQ(summary.calls[0].longest_s, 20e-6);
}

RunDescription described(const std::string& value) {
  RunDescription run;
  run.command = {"aprun", "-n", "2", "a.out"};
  run.clock = "virtual";
  run.ranks = 2;
  run.parameters = {{"MPICH_NEMESIS_ASYNC_PROGRESS", value, "0"}};
  run.time_s = 1;
  return run;
}

/// Three times 0.1 s are 0.30000000000000004: a mean of equal times is none of more.
TEST(ProfileText, NamesTheSlowestRankAndNoMinusZero) {
  ProfileData data;
  data.call("MPI_Barrier");
  data.call("MPI_Send");
  for (int rank = 0; rank < 3; ++rank) {
    RankProfile& own = data.ranks.emplace_back();
    own.rank = rank;
    own.end = us(300'000);
    own.calls = {{1, us(100'000), us(100'000), 0, 0}, {1, us(rank * 50'000), us(50'000), 0, 0}};
  }
  const std::string text = profile_text(summarise(data), described("SC"));
  EXPECT_THAT(text, testing::Not(HasSubstr("-0.0")));
  EXPECT_THAT(text, testing::ContainsRegex("Imb.% +Slowest +Calls +Function\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 0.0% +0 +1 +MPI_Barrier\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 75.0% +2 +1 +MPI_Send\n"));
}

TEST(ProfileFile, IsReadAgainAndComparedWithAnother) {
  std::mt19937_64 random(48);
  const ProfileData data = random_profile(random, 0, 2);
  const auto first = profile_json(data, summarise(data), described("SC"));
  const castor_test::TestFolder folder;
  const std::string file = folder / "profile.json";
  std::ofstream(file) << lines_of(first);
  EXPECT_EQ(read_profile(file), first);
  const auto second = profile_json(data, summarise(data), described("MC"));
  const std::string text = compare_profiles(first, second);
  EXPECT_THAT(text, HasSubstr("MPICH_NEMESIS_ASYNC_PROGRESS: SC in A, MC in B\n"));
  EXPECT_THAT(text, HasSubstr("1.000"));
  EXPECT_THAT(text, HasSubstr("MPI_Send"));
  std::ofstream(file) << "{\"format\":\"castor counters 1\"}";
  try {
    read_profile(file);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("profile.json: no \"castor profile 1\""));
  }
  std::ofstream(file) << "text";
  EXPECT_THROW(read_profile(file), std::invalid_argument);
  std::remove(file.c_str());
  EXPECT_THROW(read_profile(file), std::invalid_argument);
}

}  // namespace
}  // namespace launch
