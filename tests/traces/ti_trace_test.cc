// SimGrid's time-independent traces become calls; what is wrong with them is one line.
#include "apps/traces/ti/ti_trace.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_folder.h"
#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;
using dumpi::Call;
using dumpi::Label;
using Numbers = std::vector<std::int32_t>;

constexpr std::int32_t world = 2, int_type = 9, double_type = 14, byte_type = 5;
constexpr int ranks = 4;
/// So that a flop takes a ns.
constexpr double speed = 1e9;
const std::vector<dumpi::Status> no_status;

dumpi::RankTrace parse(const std::string& lines, int rank = 1, bool is_merged = false) {
  return ti::parse_rank("t", lines, rank, ranks, is_merged, speed);
}

/// The only call of a line of rank 1 behind its init.
Call call_of(const std::string& action) {
  const auto calls = parse("1 init\n1 " + action + "\n").calls();
  EXPECT_GE(calls.size(), 2U) << action;
  return calls.at(1);
}

Call made(Label label, std::vector<dumpi::Value> values, std::int64_t at = 1'000'000'000) {
  Call call;
  call.label = label;
  call.wall = dumpi::Span{at, at};
  call.has_statuses = false;
  call.values = std::move(values);
  return call;
}

std::string error_in(const std::string& lines) {
  return error_of([&] { parse(lines); });
}

/// What is wrong with an action on line 2.
std::string fault(const std::string& action) { return error_in("1 init\n1 " + action + "\n"); }

TEST(TiTrace, MakesCallsOfMessages) {
  EXPECT_EQ(call_of("send 2 7 1e6"), made(Label::Send, {1'000'000, byte_type, 2, 7, world}));
  EXPECT_EQ(call_of("Ssend 2 7 3 1"), made(Label::Ssend, {3, int_type, 2, 7, world}));
  EXPECT_EQ(call_of("bsend 2 7 3 0"), made(Label::Bsend, {3, double_type, 2, 7, world}));
  EXPECT_EQ(call_of("isend 2 7 3 1"), made(Label::Isend, {3, int_type, 2, 7, world, 2}));
  EXPECT_EQ(call_of("ISsend 2 7 3 1"), made(Label::Issend, {3, int_type, 2, 7, world, 2}));
  EXPECT_EQ(call_of("ibsend 2 7 3 1"), made(Label::Ibsend, {3, int_type, 2, 7, world, 2}));
  EXPECT_EQ(call_of("recv 0 7 3 1"), made(Label::Recv, {3, int_type, 0, 7, world, no_status}));
  EXPECT_EQ(call_of("irecv 0 7 3 1"), made(Label::Irecv, {3, int_type, 0, 7, world, 2}));
  for (const char* const source : {"-1", "-333", "-555"}) {
    EXPECT_EQ(call_of(std::string("irecv ") + source + " -444 3 1"),
              made(Label::Irecv, {3, int_type, -1, -1, world, 2}));
  }
  EXPECT_EQ(call_of("sendRecv 11 2 12 0 1 0"),
            made(Label::Sendrecv, {11, int_type, 2, 0, 12, double_type, 0, 0, world, no_status}));
  EXPECT_EQ(call_of("sendRecv 11 2 12 0"),
            made(Label::Sendrecv, {11, byte_type, 2, 0, 12, byte_type, 0, 0, world, no_status}));
}

TEST(TiTrace, MakesCallsOfCollectives) {
  EXPECT_EQ(call_of("barrier"), made(Label::Barrier, {world}));
  EXPECT_EQ(call_of("bcast 5e4"), made(Label::Bcast, {50'000, byte_type, 0, world}));
  EXPECT_EQ(call_of("bcast 7 3 1"), made(Label::Bcast, {7, int_type, 3, world}));
  EXPECT_EQ(call_of("reduce 7 0 3 1"), made(Label::Reduce, {7, int_type, 3, 3, world}));
  EXPECT_EQ(call_of("allreduce 7 0 0 "), made(Label::Allreduce, {7, double_type, 3, world}));
  EXPECT_EQ(call_of("scan 7 0 1"), made(Label::Scan, {7, int_type, 3, world}));
  EXPECT_EQ(call_of("exscan 7 0 1"), made(Label::Exscan, {7, int_type, 3, world}));
  EXPECT_EQ(call_of("gather 5 6 1 1 0"),
            made(Label::Gather, {1, 5, int_type, 1, world, 6, double_type}));
  EXPECT_EQ(call_of("gather 5 6"), made(Label::Gather, {1, 5, byte_type, 0, world, {}, {}}));
  EXPECT_EQ(call_of("scatter 5 6 1 1 0"),
            made(Label::Scatter, {1, 6, double_type, 1, world, 5, int_type}));
  EXPECT_EQ(call_of("scatter 5 6 2 1 1"), made(Label::Scatter, {1, 6, int_type, 2, world, {}, {}}));
  EXPECT_EQ(call_of("allgather 5 6 1 0"),
            made(Label::Allgather, {5, int_type, 6, double_type, world}));
  EXPECT_EQ(call_of("alltoall 5 6 1"), made(Label::Alltoall, {5, int_type, 6, byte_type, world}));
  EXPECT_EQ(call_of("gatherv 2 1 2 3 4 1 1 0"),
            made(Label::Gatherv, {1, 4, 2, int_type, 1, world, Numbers{1, 2, 3, 4},
                                  Numbers{0, 1, 3, 6}, double_type}));
  EXPECT_EQ(call_of("gatherv 3 0 0 0 0 2 1 1"),
            made(Label::Gatherv, {1, 4, 3, int_type, 2, world, {}, {}, int_type}));
  EXPECT_EQ(call_of("scatterv 1 2 3 4 2 1 1 0"),
            made(Label::Scatterv, {1, 4, int_type, 2, double_type, 1, world, Numbers{1, 2, 3, 4},
                                   Numbers{0, 1, 3, 6}}));
  EXPECT_EQ(call_of("scatterv 0 0 0 0 2"),
            made(Label::Scatterv, {1, 4, byte_type, 2, byte_type, 0, world, {}, {}}));
  EXPECT_EQ(call_of("alltoallv 10 1 2 3 4 8 2 2 2 2 1 0"),
            made(Label::Alltoallv, {4, Numbers{1, 2, 3, 4}, Numbers{0, 1, 3, 6}, int_type,
                                    Numbers{2, 2, 2, 2}, Numbers{0, 2, 4, 6}, double_type, world}));
  EXPECT_EQ(call_of("reducescatter 1 2 3 4 0 1"),
            made(Label::Reduce_scatter, {4, Numbers{1, 2, 3, 4}, int_type, 3, world}));
}

TEST(TiTrace, TakesTypesOrDisplacementsOrBothBehindAllgatherv) {
  const auto of = [](std::int32_t from, std::int32_t to) {
    return made(Label::Allgatherv,
                {4, 2, from, Numbers{1, 2, 3, 4}, Numbers{0, 1, 3, 6}, to, world});
  };
  EXPECT_EQ(call_of("allgatherv 2 1 2 3 4"), of(byte_type, byte_type));
  EXPECT_EQ(call_of("allgatherv 2 1 2 3 4 1"), of(int_type, byte_type));
  EXPECT_EQ(call_of("allgatherv 2 1 2 3 4 1 0"), of(int_type, double_type));
  EXPECT_EQ(call_of("allgatherv 2 1 2 3 4 90 80 70 60"), of(byte_type, byte_type));
  EXPECT_EQ(call_of("allgatherv 2 1 2 3 4 1 0 90 80 70 60"), of(int_type, double_type));
  EXPECT_NE(fault("allgatherv 2 1 2 3 4 1 0 5 90 80 70 60").find("must be 'RANK allgatherv"),
            std::string::npos);
  EXPECT_NE(fault("allgatherv 2 1 2 3 4 1 60"), "");
}

TEST(TiTrace, MakesTimeOfWork) {
  const auto calls = parse(
                         "1 init\n1 compute 1e3\n1 sleep 0.5\n1 barrier\n1 compute 2.4\n"
                         "1 compute 0.2\n1 allreduce 1 100 0\n1 barrier\n1 reduce 1 10\n"
                         "1 reducescatter 1 1 1 1 1000\n1 scan 1 5\n1 finalize\n")
                         .calls();
  ASSERT_EQ(calls.size(), 8U);
  constexpr std::int64_t barrier = 1'500'001'000;
  EXPECT_EQ(calls[0].wall->entry, 1'000'000'000);
  EXPECT_EQ(calls[1].wall->entry, barrier);
  EXPECT_EQ(calls[2].wall->entry, barrier + 3);
  EXPECT_EQ(calls[3].wall->entry, barrier + 103);
  EXPECT_EQ(calls[4].wall->entry, barrier + 103);
  EXPECT_EQ(calls[5].wall->entry, barrier + 113);
  EXPECT_EQ(calls[6].wall->entry, barrier + 1113);
  EXPECT_EQ(calls[7], made(Label::Finalize, {}, barrier + 1118));
  const auto slow = ti::parse_rank("t", "0 init\n0 compute 100\n0 barrier\n", 0, 1, false, 10);
  EXPECT_EQ(slow.calls().at(1).wall->entry, 11'000'000'000);
}

/// Work before the first call and behind the last one is the rank's, whatever lines are missing.
TEST(TiTrace, HasTheFirstAndTheLastIntervalOfWork) {
  constexpr std::int64_t begin = 1'000'000'000;
  const std::vector<Call> whole = {made(Label::Init, {std::vector<std::string>()}, begin),
                                   made(Label::Barrier, {world}, begin + 7),
                                   made(Label::Finalize, {}, begin + 12)};
  for (const std::string first :
       {"1 init\n1 compute 7\n", "1 compute 7\n", "1 compute 7\n1 init\n"}) {
    for (const std::string last : {"1 compute 5\n1 finalize\n", "1 compute 5\n"}) {
      EXPECT_EQ(parse(first + "1 barrier\n" + last).calls(), whole) << first << last;
    }
  }
  EXPECT_EQ(parse("1 compute 12\n").calls(), (std::vector<Call>{whole.front(), whole.back()}));
  EXPECT_EQ(parse("1 init\n1 barrier\n").calls().size(), 2U) << "nothing is behind the barrier";
}

TEST(TiTrace, FindsTheRequestsThatAreWaitedFor) {
  const auto calls = parse(
                         "1 init\n1 irecv 0 5 10\n1 irecv 0 5 20\n1 irecv -333 -444 30\n"
                         "1 isend 2 5 40\n1 wait 0 1 5\n1 test 0 1 5\n1 wait 3 1 9\n"
                         "1 isend 2 5 50\n1 wait 1 2 5\n1 waitall 1\n1 waitall 4\n"
                         "1 irecv 1 1 1\n1 isend 1 1 1\n1 wait 1 1 1\n1 finalize\n")
                         .calls();
  std::vector<Call> ends;
  for (const Call& each : calls) {
    if (each.label != Label::Irecv && each.label != Label::Isend) ends.push_back(each);
  }
  ASSERT_EQ(ends.size(), 9U);
  EXPECT_EQ(ends[1], made(Label::Wait, {2, no_status}));
  EXPECT_EQ(ends[2], made(Label::Test, {3, 0, no_status}));
  EXPECT_EQ(ends[3], made(Label::Wait, {4, no_status}));
  EXPECT_EQ(ends[4], made(Label::Wait, {5, no_status}));
  // All that are open; a second one has nothing to wait for.
  EXPECT_EQ(ends[5], made(Label::Waitall, {2, Numbers{3, 6}, no_status}));
  EXPECT_EQ(ends[6], made(Label::Wait, {7, no_status}));
  EXPECT_EQ(ends[7], made(Label::Waitall, {1, Numbers{8}, no_status}));
  EXPECT_EQ(ends[8].label, Label::Finalize);
}

TEST(TiTrace, WaitsAtItsEndForWhatIsOpen) {
  const auto calls = parse("1 init\n1 irecv -333 -444 3\n1 test -333 1 -444\n").calls();
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[3], made(Label::Waitall, {1, Numbers{2}, no_status}));
}

TEST(TiTrace, HasDoublesOrBytesWhereNoTypeIsSaid) {
  EXPECT_EQ(parse("1 init 1\n1 bcast 3\n").calls().at(1).number("datatype"), double_type);
  EXPECT_EQ(parse("1 init\n1 bcast 3\n").calls().at(1).number("datatype"), byte_type);
  EXPECT_EQ(parse("1 bcast 3\n").calls().at(0).number("datatype"), byte_type);
}

TEST(TiTrace, HasTypesOfTheirSizes) {
  const std::uint32_t bytes[60] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                   4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                   8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                   4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};
  for (int type = 0; type < 60; ++type) {
    const auto trace = parse("1 bcast 1 0 " + std::to_string(type) + "\n");
    const auto number = static_cast<std::size_t>(trace.calls().at(0).number("datatype"));
    ASSERT_LT(number, trace.sections().type_sizes.size()) << type;
    EXPECT_EQ(trace.sections().type_sizes[number], bytes[type]) << type;
  }
}

TEST(TiTrace, TakesFromOneFileWhatIsTheRanks) {
  const std::string lines =
      "# all ranks\n\n0 init\n 1\tinit\n1   send 0 0 8 0 \n0 recv 1 0 8 0\r\n0 location a.c 12\n"
      "0 comm_size 4\n0 comm_split 1 2\n0 comm_dup\n1 finalize\n0 finalize\n";
  const auto zero = parse(lines, 0, true).calls();
  ASSERT_EQ(zero.size(), 3U);
  EXPECT_EQ(zero[1].label, Label::Recv);
  EXPECT_EQ(parse(lines, 1, true).calls().at(1).label, Label::Send);
  EXPECT_EQ(error_of([&] { parse(lines, 2, true); }), "t: no calls of rank 2: must have some");
  EXPECT_EQ(error_of([&] { parse(lines, 1, false); }),
            "t: line 3: rank 0: must be 1, whose file this is");
}

TEST(TiTrace, NamesTheLineThatIsWrong) {
  EXPECT_EQ(error_in("init\n"), "t: line 1: 'init': must be 'RANK ACTION ...'");
  EXPECT_EQ(error_in("1\n"), "t: line 1: '1': must be 'RANK ACTION ...'");
  EXPECT_EQ(error_in("4 init\n"), "t: line 1: rank 4: must be 0 to 3");
  EXPECT_EQ(error_in("-1 init\n"), "t: line 1: rank -1: must be 0 to 3");
  EXPECT_EQ(fault("waitAny 2"),
            "t: line 2: action waitAny: must be one that SimGrid replays, or a send");
  EXPECT_EQ(fault("send 2 7"),
            "t: line 2: '1 send 2 7': must be 'RANK send DEST TAG COUNT [TYPE]'");
  EXPECT_EQ(fault("send 2 7 8 1 9"),
            "t: line 2: '1 send 2 7 8 1 9': must be 'RANK send DEST TAG COUNT [TYPE]'");
  EXPECT_EQ(fault("send two 7 8"),
            "t: line 2: '1 send two 7 8': must be 'RANK send DEST TAG COUNT [TYPE]'");
  EXPECT_EQ(fault("send 4 7 8"), "t: line 2: DEST 4: must be 0 to 3");
  EXPECT_EQ(fault("send -333 7 8"), "t: line 2: DEST -333: must be 0 to 3");
  EXPECT_EQ(fault("send 2 -444 8"), "t: line 2: TAG -444: must be at least 0");
  EXPECT_EQ(fault("recv 4 7 8"),
            "t: line 2: SOURCE 4: must be 0 to 3, or -1, -333 or -555 for any");
  EXPECT_EQ(fault("recv 0 -2 8"), "t: line 2: TAG -2: must be at least 0, or -1 or -444 for any");
  for (const char* const count : {"-1", "2147483648", "1e10", "nan", "inf"}) {
    EXPECT_EQ(fault(std::string("send 2 7 ") + count),
              std::string("t: line 2: COUNT ") + count + ": must be 0 to 2147483647");
  }
  EXPECT_EQ(fault("bcast 2147483647"), "");
  EXPECT_EQ(fault("bcast 1 4"), "t: line 2: ROOT 4: must be 0 to 3");
  EXPECT_EQ(fault("bcast 1 0 -1"),
            "t: line 2: TYPE -1: must be 0 to 59 (a program's own types have no size in a trace)");
  EXPECT_NE(fault("bcast 1 0 60").find("TYPE 60: must be 0 to 59"), std::string::npos);
  EXPECT_EQ(fault("compute -1"), "t: line 2: FLOPS -1: must be at least 0");
  EXPECT_EQ(fault("compute nan"), "t: line 2: FLOPS nan: must be at least 0");
  EXPECT_EQ(fault("sleep inf"), "t: line 2: SECONDS inf: must be at least 0");
  EXPECT_EQ(fault("compute 4e13"),
            "t: line 2: 40000 s since the last call: must be less than 32768");
  EXPECT_NE(fault("compute"), "");
  EXPECT_NE(fault("location a.c"), "");
  EXPECT_EQ(fault("wait 0 1 5"), "t: line 2: no isend or irecv from 0 to 1 with tag 5 is open");
  EXPECT_EQ(fault("test 1 2 5"), "t: line 2: no isend or irecv from 1 to 2 with tag 5 is open");
  EXPECT_EQ(error_in("1 init\n1 isend 2 5 1\n1 wait 1 2 5\n1 wait 1 2 5\n"),
            "t: line 4: no isend or irecv from 1 to 2 with tag 5 is open");
  EXPECT_EQ(fault("gatherv 1 2147483647 1 0 0 1"),
            "t: line 2: 2147483648 elements together: must be at most 2147483647");
  EXPECT_NE(fault("gatherv 1 1 1 1").find("must be 'RANK gatherv SENDCOUNT RECVCOUNT..."),
            std::string::npos);
  EXPECT_EQ(fault("init"), "t: line 2: init: must be the rank's first call");
  EXPECT_EQ(error_in("1 init\n1 finalize\n1 barrier\n"),
            "t: line 3: barrier behind finalize: must be the rank's last line");
  EXPECT_EQ(error_in(""), "t: no calls of rank 1: must have some");
}

TEST(TiTrace, RefusesMoreTimeThanItCanKeep) {
  std::string lines = "1 init\n";
  for (int i = 0; i < 300; ++i) lines += "1 sleep 32000\n1 barrier\n";
  EXPECT_EQ(error_in(lines),
            "t: line 564: 9024000 s since the trace's begin: must be less than 9000000");
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(error_of([&] {
                ti::parse_rank("t", "0 init\n", 0, 1, false, wrong);
              }).find("must be more than 0"),
              std::string::npos);
  }
}

TEST(TiTrace, IsFoundAsOneFileOrAList) {
  const castor_test::TestFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  };
  const std::string merged = write("merged", "# two\n0 init\n1 init\n1 barrier\n0 barrier\n");
  ti::Files files = ti::find_files(merged);
  EXPECT_TRUE(files.is_merged);
  EXPECT_EQ(files.ranks, 2);
  EXPECT_EQ(ti::read_rank(files, 1, speed).size(), 2U);

  write("r0", "0 init\n");
  const std::string second = write("r1", "1 init\n1 barrier\n1 finalize\n");
  const std::string list = write("list", "r0\n\n# by its whole name\n" + second + "\n");
  files = ti::find_files(list);
  EXPECT_FALSE(files.is_merged);
  EXPECT_EQ(files.ranks, 2);
  EXPECT_EQ(files.paths, (std::vector<std::string>{folder / "r0", second}));
  EXPECT_EQ(ti::read_rank(files, 0, speed).size(), 1U);
  EXPECT_EQ(ti::read_rank(files, 1, speed).size(), 3U);
  EXPECT_EQ(ti::read_rank(files, 1, speed).name(), second);

  EXPECT_EQ(error_of([&] { ti::find_files(write("gone", "r0\nr7\n")); }),
            folder / "gone" +
                ": line 2: 'r7': must be a file of one rank's trace, or "
                "'RANK ACTION ...'");
  EXPECT_NE(error_of([&] {
              ti::find_files(write("empty", "# nothing\n"));
            }).find("must be a file of one rank's trace, or 'RANK ACTION ...'"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { ti::find_files(write("hole", "0 init\n2 init\n")); }),
            folder / "hole" + ": no line of rank 1: must have some of ranks 0 to 2");
  EXPECT_EQ(error_of([&] { ti::find_files(write("many", "0 init\n1000000 init\n")); }),
            folder / "many" + ": line 2: rank 1000000: must be 0 to 999999");
  EXPECT_EQ(error_of([&] { ti::find_files(folder / "none"); }),
            folder / "none" + ": is no file that can be read");
}

const std::string some_lines =
    "1 init 1\n1 irecv 0 3 10 1\n1 irecv -333 -444 10 2\n1 send 2 3 1e3 1\n1 wait 0 1 3\n"
    "1 compute 1e+06\n1 test -333 1 -444\n1 sendRecv 11 2 12 0 1 1\n1 barrier\n1 bcast 7 1 0 \n"
    "1 reduce 7 0 1 0 \n1 allreduce 7 0 1 \n1 gather 5 5 1 1 1\n1 scatter 5 5 1 1 1\n"
    "1 allgather 5 5 1 1\n1 gatherv 2 1 2 3 4 1 1 1\n1 scatterv 1 2 3 4 2 1 1 1\n"
    "1 allgatherv 2 1 2 3 4 1 1\n1 alltoall 4 4 1 1\n1 alltoallv 10 1 2 3 4 8 2 2 2 2 1 1\n"
    "1 reducescatter 1 2 3 4 0 1\n1 scan 3 0 1 \n1 sleep 0.1\n1 waitall 2\n1 finalize\n";

TEST(TiTrace, EndsWithCallsOrOneLineWhereverItIsCutOff) {
  ASSERT_EQ(error_in(some_lines), "");
  int refused = 0;
  for (std::size_t length = 0; length < some_lines.size(); ++length) {
    refused += error_in(some_lines.substr(0, length)).empty() ? 0 : 1;
  }
  // What is optional may be missing.
  EXPECT_GT(refused, static_cast<int>(some_lines.size() / 3));
  EXPECT_LT(refused, static_cast<int>(some_lines.size()));
}

TEST(TiTrace, EndsWithCallsOrOneLineWhateverBytesAreOthers) {
  std::mt19937 random(8);
  int refused = 0;
  constexpr int times = 5000;
  for (int i = 0; i < times; ++i) {
    std::string damaged = some_lines;
    for (int left = 1 + i % 4; left > 0; --left) {
      char& byte = damaged[random() % damaged.size()];
      // Often one that numbers and fields are made of.
      byte = i % 2 == 0 ? static_cast<char>(random()) : "0123456789 -.e\n"[random() % 15];
    }
    const std::string error = error_in(damaged);
    if (error.empty()) continue;
    ++refused;
    ASSERT_EQ(error.rfind("t: ", 0), 0U) << error;
  }
  EXPECT_GT(refused, times / 4);
  EXPECT_LT(refused, times);
}

}  // namespace
