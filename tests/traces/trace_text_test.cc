// The text that dumpi2ascii prints becomes the calls that a binary trace has.
#include "apps/traces/dumpi/trace_text.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/test_folder.h"
#include "tests/traces/printed_calls.h"
#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;
using castor_test::text_of;
using dumpi::Call;
using dumpi::Label;

/// Calls with what the text says of each: both times, statuses, no counters. Of the labels every
/// `step`th.
std::vector<Call> printable_calls(int each, std::mt19937& random, std::size_t step = 1) {
  std::vector<Call> calls;
  while (each > 0) {
    for (Call& call : castor_test::random_calls(1, random)) {
      if (!call.wall || !call.cpu || !call.has_statuses) continue;
      if (static_cast<std::size_t>(call.label) % step != 0) continue;
      call.counters.clear();
      calls.push_back(std::move(call));
    }
    --each;
  }
  return calls;
}

const std::string head =
    "version=1.0.0\nstarttime=Thu Feb  3 16:05:56 2011\nhostname=some.host\nusername=somebody\n"
    "meshdim=0\nmeshsize=[]\nmeshcrd=[]\n";
const std::string tail =
    "Total keyvals: 0\nMPI_Send called 0 times and ignored 0 times\nPerformance counters: 0\n"
    "Datatype 0 (MPI_DATATYPE_ERROR) has size 0\nDatatype 1 (MPI_DATATYPE_NULL) has size 0\n"
    "Datatype 2 (MPI_CHAR) has size 1\n";
const std::string one_barrier =
    "MPI_Barrier entering at walltime 1296777956.737712000, cputime 0.007757000 seconds in thread "
    "3.\n"
    "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
    "MPI_Barrier returning at walltime 1296777956.739659000, cputime 0.008331000 seconds in thread "
    "3.\n";

std::string text_error(const std::string& text) {
  return error_of([&] { dumpi::parse_text("x.txt", text); });
}

/// `text` with one part of it replaced.
std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return text.replace(place, part.size(), other);
}

TEST(TraceText, GivesTheCallsOfABinaryTrace) {
  std::mt19937 random(4);
  const std::vector<Call> calls = printable_calls(60, random);
  std::vector<int> seen(400);
  std::string text = head;
  for (const Call& each : calls) {
    ++seen[static_cast<std::size_t>(each.label)];
    text += text_of(each);
  }
  for (const dumpi::Layout& layout : dumpi::layouts()) {
    EXPECT_GT(seen[static_cast<std::size_t>(layout.label())], 5) << layout.name();
  }
  const dumpi::RankTrace trace = dumpi::parse_text("x.txt", text + tail);
  EXPECT_EQ(trace.calls(), calls);
  EXPECT_EQ(trace.calls(), dumpi::RankTrace("x.bin", castor_test::file_of(calls, {})).calls());
  EXPECT_EQ(trace.sections().host, "some.host");
  EXPECT_EQ(trace.sections().user, "somebody");
  EXPECT_EQ(trace.sections().type_sizes, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(TraceText, GivesCountersAndTheirNames) {
  std::mt19937 random(7);
  std::vector<Call> calls = printable_calls(1, random, 9);
  std::string text;
  for (Call& each : calls) {
    each.counters = {{random(), random()}, {~std::uint64_t{0}, 3}};
    text += text_of(each, {"PAPI_TOT_INS", "PAPI_L1_DCM"});
  }
  const dumpi::RankTrace trace = dumpi::parse_text("x.txt", text);
  EXPECT_EQ(trace.calls(), calls);
  EXPECT_EQ(trace.sections().counter_labels,
            (std::vector<std::string>{"PAPI_TOT_INS", "PAPI_L1_DCM"}));
  const std::string other = with(text, "PAPI_L1_DCM", "PAPI_L2_DCM");
  EXPECT_NE(text_error(other).find("must be the counters of the first call"), std::string::npos);
  const std::string once =
      with(text, "Perfcounters: [PAPI_TOT_INS=", "Perfcounters: [PAPI_TOT_INS=x");
  EXPECT_NE(text_error(once).find("'Perfcounters: [NAME=N, ...]'"), std::string::npos);
}

TEST(TraceText, NeedsNeitherHeaderNorTail) {
  const auto calls = dumpi::parse_text("x.txt", "\n" + one_barrier + "\n" + one_barrier).calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0], calls[1]);
  EXPECT_EQ(calls[0].label, Label::Barrier);
  EXPECT_EQ(calls[0].thread, 3);
  EXPECT_EQ(calls[0].wall, (dumpi::Span{1'296'777'956'737'712'000, 1'296'777'956'739'659'000}));
  EXPECT_EQ(calls[0].cpu, (dumpi::Span{7'757'000, 8'331'000}));
  EXPECT_EQ(calls[0].number("comm"), 2);
}

TEST(TraceText, TakesOtherNamesAndTypesOfNumbers) {
  const std::string moment =
      " at walltime 5.000000001, cputime 0.000000002 seconds in thread 0.\r\n";
  const std::string put = "MPI_Put entering" + moment +
                          "int a=1\r\nMPI_Datatype b=9 (MPI_INT)\r\nint c=2\r\nMPI_Aint d=16\r\n"
                          "int e=1\r\nMPI_Datatype f=30 (user-defined-datatype)\r\nMPI_Win g=3\r\n"
                          "MPI_Put returning" +
                          moment;
  const Call call = dumpi::parse_text("x.txt", put).calls().at(0);
  EXPECT_EQ(call.number("targetdisp"), 16);
  EXPECT_EQ(call.number("targettype"), 30);
  EXPECT_EQ(call.number("win"), 3);
}

TEST(TraceText, TakesTheSignThatTheToolGivesToLargeHandles) {
  const std::string large = with(one_barrier, "comm=2", "comm=-25536");
  EXPECT_EQ(dumpi::parse_text("x.txt", large).calls().at(0).number("comm"), 40000);
  EXPECT_EQ(text_error(with(one_barrier, "comm=2", "comm=-32769")),
            "x.txt: line 3: MPI_Barrier: comm -32769: must be 0 to 65535");
  const std::string wait =
      with(with(with(one_barrier, "MPI_Barrier", "MPI_Wait"), "MPI_Barrier", "MPI_Wait"),
           "MPI_Comm comm=2 (MPI_COMM_WORLD)",
           "MPI_Request request=[7]\nMPI_Status status=[{bytes=1, cancelled=-2, source=3, tag=4, "
           "error=-128}]");
  const dumpi::Call call = dumpi::parse_text("x.txt", wait).calls().at(0);
  EXPECT_EQ(call.statuses("status")[0], (dumpi::Status{1, 3, 254, 128, 4}));
  EXPECT_NE(text_error(with(wait, "error=-128", "error=-129")).find("x.txt: line 3: "),
            std::string::npos);
  EXPECT_NE(text_error(with(wait, "cancelled=-2", "cancelled=256")).find("x.txt: line 3: "),
            std::string::npos);
}

TEST(TraceText, NamesTheLineThatIsWrong) {
  EXPECT_EQ(text_error(with(one_barrier, "MPI_Barrier", "MPI_Iallreduce")),
            "x.txt: line 1: MPI_Iallreduce: must be one of calls.def's calls");
  EXPECT_EQ(text_error(head + with(one_barrier, "MPI_Comm comm", "MPI_Group comm")),
            "x.txt: line 9: 'MPI_Group comm=2 (MPI_COMM_WORLD)': must be MPI_Barrier's argument "
            "comm, 'MPI_Comm NAME=A'");
  EXPECT_EQ(text_error(with(one_barrier, "comm=2", "comm=two")),
            "x.txt: line 2: 'MPI_Comm comm=two (MPI_COMM_WORLD)': must be MPI_Barrier's argument "
            "comm, 'MPI_Comm NAME=A'");
  EXPECT_EQ(text_error(with(one_barrier, "comm=2", "comm=70000")),
            "x.txt: line 3: MPI_Barrier: comm 70000: must be 0 to 65535");
  EXPECT_NE(text_error(with(one_barrier, "737712000", "7377120")).find("x.txt: line 1: "),
            std::string::npos);
  EXPECT_NE(
      text_error(with(one_barrier, "MPI_Comm comm=2 (MPI_COMM_WORLD)\n", "")).find("line 2: "),
      std::string::npos);
  const std::string other_end = with(one_barrier, "MPI_Barrier returning", "MPI_Bcast returning");
  EXPECT_NE(text_error(other_end).find(": must be MPI_Barrier returning in thread 3"),
            std::string::npos);
  EXPECT_NE(text_error(one_barrier + "what is this\n" + one_barrier)
                .find("x.txt: line 4: 'what is this': must be a call's"),
            std::string::npos);
  EXPECT_NE(text_error("").find("must be a header's 'key=value' or a call's"), std::string::npos);
  EXPECT_NE(text_error(head + tail).find("x.txt: line 8: 'Total keyvals: 0': must be"),
            std::string::npos);
  EXPECT_EQ(text_error(one_barrier + tail + one_barrier),
            "x.txt: line 10: a call behind the end of the stream: must be one rank's text");
  EXPECT_EQ(text_error(one_barrier + "Datatype 3 (MPI_CHAR) has size 1\n"),
            "x.txt: line 4: data type 3: must be 0, the next");
}

TEST(TraceText, RefusesArraysThatAreNotAsLongAsTheySay) {
  const std::string moment = " at walltime 5.000000001, cputime 0.000000002 seconds in thread 0.\n";
  const std::string start = "MPI_Startall entering" + moment +
                            "int count=2\nMPI_Request requests[2]=[4, 5]\nMPI_Startall returning" +
                            moment;
  EXPECT_EQ(text_error(start), "");
  EXPECT_EQ(text_error(with(start, "[4, 5]", "[4, 5, 6]")), "x.txt: line 3: 3 entries, must be 2");
  EXPECT_EQ(text_error(with(start, "count=2", "count=3")),
            "x.txt: line 4: MPI_Startall: 2 requests, must be count = 3");
  EXPECT_NE(text_error(with(start, "[4, 5]", "[4, 5")).find("x.txt: line 3: "), std::string::npos);
}

TEST(TraceText, RefusesTimesThatTheFormatCannotHold) {
  const std::string later =
      with(with(one_barrier, "956.737", "1000000.737"), "956.739", "1000000.739");
  const std::string far = with(with(one_barrier, "1296777956.737", "1296817956.737"),
                               "1296777956.739", "1296817956.739");
  EXPECT_NE(text_error(later), "");
  EXPECT_EQ(text_error(one_barrier + far + one_barrier + far),
            "x.txt: two calls of a thread are more than 32768 s apart");
}

TEST(TraceText, EndsWithCallsOrOneLineWhereverItIsCutOff) {
  std::mt19937 random(5);
  std::string text = head;
  for (const Call& each : printable_calls(1, random, 6)) text += text_of(each);
  int refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    refused += text_error(text.substr(0, length)).empty() ? 0 : 1;
  }
  // Between two calls, before and behind the line's end, nothing is missing.
  const auto calls = dumpi::parse_text("x.txt", text).size();
  EXPECT_EQ(refused, static_cast<int>(text.size() - (2 * calls - 1)));
}

TEST(TraceText, EndsWithCallsOrOneLineWhateverByteIsAnother) {
  std::mt19937 random(6);
  std::string text = head;
  for (const Call& each : printable_calls(1, random, 2)) text += text_of(each);
  text += tail;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    refused += text_error(damaged).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

TEST(TraceText, IsReadFromAFolder) {
  const castor_test::TestFolder folder;
  std::ofstream(folder / "t.txt") << one_barrier;
  EXPECT_EQ(dumpi::read_text(folder / "t.txt").size(), 1U);
  EXPECT_EQ(error_of([&] { dumpi::read_text(folder / "u.txt"); }),
            folder / "u.txt" + ": is no file that can be read");
}

}  // namespace
