// What the writer writes, the reader reads; byte by byte, and for every label.
#include "apps/traces/dumpi/trace_writer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;
using castor_test::hex;
using dumpi::Call;
using dumpi::Label;

TEST(TraceWriter, RoundTripsEveryLabelWithRandomArguments) {
  std::mt19937 random(50);
  for (const dumpi::Layout& layout : dumpi::layouts()) {
    for (int i = 0; i < 50; ++i) {
      const std::vector<Call> calls = {castor_test::random_call(layout, random)};
      const dumpi::RankTrace trace("file", castor_test::file_of(calls, {}));
      EXPECT_EQ(trace.size(), 1U);
      ASSERT_EQ(trace.calls(), calls) << layout.name() << ", number " << i;
    }
  }
}

TEST(TraceWriter, RoundTripsStreamsAndSections) {
  std::mt19937 random(51);
  const std::vector<Call> calls = castor_test::random_calls(20, random);
  const dumpi::Sections sections = castor_test::some_sections();
  const dumpi::RankTrace trace("file", castor_test::file_of(calls, sections));
  EXPECT_EQ(trace.size(), calls.size());
  EXPECT_EQ(trace.calls(), calls);
  EXPECT_EQ(trace.sections(), sections);
}

TEST(TraceWriter, WritesTheBytesOfTheFormat) {
  Call isend;
  isend.label = Label::Isend;
  isend.thread = 1;
  isend.cpu = dumpi::Span{2'000'000'005, 3'000'000'006};
  isend.wall = dumpi::Span{101'000'000'007, 102'000'000'008};
  isend.values = {3, 14, 5, -1, 2, 9};
  Call wait;
  wait.label = Label::Wait;
  wait.values = {9, std::vector<dumpi::Status>{{24, 4, 0, 1, 77}}};
  wait.counters = {{1, 2}};
  std::ostringstream out;
  dumpi::TraceWriter writer(out, "file", {1, 100});
  writer.write(isend);
  writer.write(wait);
  dumpi::Sections sections;
  sections.host = "n";
  sections.type_sizes = {8};
  writer.finish(sections);
  const std::string head =
      hex("FFAADD44554D5049 00000001 00000064"
          "0008 4F 0001  0001 00000005 0002 00000006  0001 00000007 0002 00000008"
          "00000003 000E 00000005 FFFFFFFF 0002 00000009"
          "000D C3 0000  01 0000000000000001 0000000000000002"
          "00000009 00000001 00000018 00000004 00 01 0000004D"
          "0125"
          // Header at 111, footer at 135.
          "010100 0000000000000000 0001 6E 0000 00000000 00000000"
          "00000000F007FEE7");
  const std::string bytes = out.str();
  ASSERT_EQ(head.size(), 143U);
  EXPECT_EQ(bytes.substr(0, head.size()), head);
  // No keyvals; labels at 2475, sizes at 2479, functions at 2487.
  const std::string tail =
      hex("00000000 00000000 00000001 00000008 00000000"
          "FFAADD44554D5049"
          "00000000000009AF 00000000000009B7 00000000000009AB"
          "000000000000006F 0000000000000008 0000000000000087 0000000000000000");
  ASSERT_GE(bytes.size(), tail.size());
  EXPECT_EQ(bytes.substr(bytes.size() - tail.size()), tail);
}

TEST(TraceWriter, CountsTheCallsThatItWrites) {
  Call barrier;
  barrier.label = Label::Barrier;
  barrier.values = {2};
  const dumpi::RankTrace trace("file", castor_test::file_of({barrier, barrier, barrier}, {}));
  ASSERT_EQ(trace.sections().called.size(), 291U);
  EXPECT_EQ(trace.sections().called[52], 3U);
  EXPECT_EQ(trace.sections().called[0], 0U);
  EXPECT_EQ(trace.sections().ignored, std::vector<std::uint32_t>(291));
}

TEST(TraceWriter, LeavesTheProgramsOwnFunctionsOutOfTheCounts) {
  Call enter;
  enter.label = Label::Function_enter;
  enter.values = {std::int64_t{0x4005D0}};
  const dumpi::RankTrace trace("file", castor_test::file_of({enter}, {}));
  EXPECT_EQ(trace.size(), 1U);
  EXPECT_EQ(trace.sections().called, std::vector<std::uint32_t>(291));
}

TEST(TraceWriter, KeepsTimesOfMoreSecondsThanTheFormatHas) {
  std::vector<Call> calls;
  for (std::int64_t i = 0; i < 20; ++i) {
    Call call;
    call.label = Label::Wtime;
    call.thread = static_cast<std::uint16_t>(i < 12 ? i % 2 : 2);
    const std::int64_t begin = (castor_test::some_bias.wall_s + 15'000 * i) * 1'000'000'000 + i;
    // What the first thread waits for goes on while others come and return.
    const std::int64_t time = call.thread == 0 ? 20'000'000'000'000 : 50;
    call.wall = dumpi::Span{begin, begin + time};
    calls.push_back(call);
  }
  const dumpi::RankTrace trace("file", castor_test::file_of(calls, {}));
  EXPECT_EQ(trace.calls(), calls);
}

TEST(TraceWriter, RefusesWhatTheFormatCannotHold) {
  std::ostringstream out;
  dumpi::TraceWriter writer(out, "file", {0, 100});
  Call call;
  call.label = Label::Barrier;
  call.values = {65536};
  EXPECT_EQ(error_of([&] { writer.write(call); }),
            "file: byte 16: MPI_Barrier: comm 65536: must be 0 to 65535");
  call.values = {2};
  call.wall = dumpi::Span{99'999'999'999, 101'000'000'000};
  EXPECT_EQ(error_of([&] { writer.write(call); }),
            "file: byte 16: MPI_Barrier: a time of 99999999999 ns: must be at least the bias, "
            "100000000000 ns");
  dumpi::Sections sections;
  sections.host.assign(65536, 'x');
  EXPECT_EQ(error_of([&] { writer.finish(sections); }),
            "file: byte 16: a name of 65536 bytes: must be at most 65535");
  sections.host.clear();
  sections.mesh_position = {1};
  EXPECT_EQ(error_of([&] { writer.finish(sections); }),
            "file: byte 16: a mesh of 0 dimensions: must be 1, as the position has");
  sections.mesh_position.clear();
  sections.called.resize(290);
  EXPECT_EQ(error_of([&] { writer.finish(sections); }),
            "file: byte 16: 290 counts of calls: must be 291 or none");
  // What was refused has left nothing in the file.
  writer.finish({});
  EXPECT_EQ(dumpi::RankTrace("file", out.str()).size(), 0U);
  EXPECT_NE(error_of([&] { writer.finish({}); }).find("finished a second time"), std::string::npos);
  call.wall = std::nullopt;
  EXPECT_NE(error_of([&] { writer.write(call); }).find("a call behind the stream's end"),
            std::string::npos);
}

TEST(TraceWriter, SaysThatAFileCannotBeWritten) {
  std::ostringstream out;
  dumpi::TraceWriter writer(out, "some.bin", {});
  out.setstate(std::ios::badbit);
  EXPECT_EQ(error_of([&] { writer.finish({}); }), "some.bin: cannot be written");
}

}  // namespace
