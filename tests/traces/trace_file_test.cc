// Traces of all versions, written by hand here, and what the reader says of faulty ones.
#include "apps/traces/dumpi/trace_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tests/support/test_folder.h"
#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;
using castor_test::hex;
using dumpi::Label;

const std::string magic = hex("FFAADD44554D5049");

std::string u64(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

/// A file with a stream and a header, and the `words` of its index that a version has.
struct File {
  std::string version = "010100";
  std::string calls;
  std::string end = "0125";
  int words = 8;

  std::string header() const { return hex(version + "000000005314AA04 0001 6E 0001 75 00000000"); }
  std::string stream() const { return magic + hex("00000001 00000064" + calls + end); }
  /// Where the header begins.
  std::uint64_t header_at() const { return stream().size(); }
  std::string bytes() const {
    std::string index = magic;
    for (int left = words - 5; left > 0; --left) index += u64(0);
    index += u64(header_at()) + u64(8) + u64(0) + u64(0);
    return stream() + header() + index;
  }
};

std::string error_with(const std::string& bytes) {
  return error_of([&] { dumpi::RankTrace("x.bin", bytes); });
}

// Label, and a mask: a thread's number, nothing else; or statuses, too.
const std::string barrier = "0034 40 0000 0002";

TEST(TraceFile, ReadsAStreamAndAHeader) {
  File file;
  file.calls =
      "000C 4F 0001  0002 00000003 0002 00000004  0005 00000006 0007 00000008"
      "00000010 0005 FFFFFFFF 00000007 0004 00000009" +
      barrier;
  const dumpi::RankTrace trace("x.bin", file.bytes());
  EXPECT_EQ(trace.name(), "x.bin");
  EXPECT_EQ(trace.sections().start, 0x5314AA04U);
  EXPECT_EQ(trace.sections().host, "n");
  EXPECT_EQ(trace.sections().user, "u");
  EXPECT_EQ(trace.sections().version, (dumpi::Version{1, 1, 0}));
  const auto calls = trace.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].label, Label::Irecv);
  EXPECT_EQ(calls[0].thread, 1);
  EXPECT_EQ(calls[0].cpu, (dumpi::Span{3'000'000'003, 3'000'000'004}));
  EXPECT_EQ(calls[0].wall, (dumpi::Span{105'000'000'006, 107'000'000'008}));
  EXPECT_TRUE(calls[0].has_statuses);
  EXPECT_EQ(calls[0].number("count"), 16);
  EXPECT_EQ(calls[0].number("datatype"), 5);
  EXPECT_EQ(calls[0].number("source"), -1);
  EXPECT_EQ(calls[0].number("tag"), 7);
  EXPECT_EQ(calls[0].number("comm"), 4);
  EXPECT_EQ(calls[0].number("request"), 9);
  EXPECT_EQ(calls[1].label, Label::Barrier);
  EXPECT_FALSE(calls[1].has_statuses);
  EXPECT_FALSE(calls[1].wall.has_value());
}

TEST(TraceFile, ReadsArgumentsOfARootAndOfOthers) {
  File file;
  file.calls =
      // Gatherv on rank 1, and on the root, rank 0, of two.
      "0037 40 0000  00000001 00000002 00000008 000E 00000000 0002 000E"
      "0037 40 0000  00000000 00000002 00000008 000E 00000000 0002"
      "00000002 00000008 00000009  00000002 00000000 00000008 000E";
  const auto calls = dumpi::RankTrace("x.bin", file.bytes()).calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_FALSE(calls[0].has("recvcounts"));
  EXPECT_EQ(calls[0].number("recvtype"), 14);
  ASSERT_EQ(calls[1].numbers("recvcounts").size(), 2U);
  EXPECT_EQ(calls[1].numbers("recvcounts")[1], 9);
  EXPECT_EQ(calls[1].numbers("displs")[1], 8);
  EXPECT_EQ(calls[1].number("recvtype"), 14);
}

TEST(TraceFile, ReadsIndicesOfAllLengths) {
  for (int words = 5; words <= 8; ++words) {
    File file;
    file.calls = barrier;
    file.words = words;
    EXPECT_EQ(dumpi::RankTrace("x.bin", file.bytes()).size(), 1U) << words;
  }
  // A word less would have no offset for the keyvals.
  const std::string five = [] {
    File file;
    file.words = 5;
    return file.bytes();
  }();
  EXPECT_NE(error_with(five.substr(0, five.size() - 8)).find("no index at the end"),
            std::string::npos);
}

TEST(TraceFile, ReadsStatusesWithoutTagsAndArgcTwice) {
  const std::string status = "000D 43 0000 00000009 00000001 00000018 00000004 00 01";
  File old;
  old.version = "000602";
  old.calls = status;
  auto calls = dumpi::RankTrace("x.bin", old.bytes()).calls();
  EXPECT_EQ(calls.at(0).statuses("status")[0], (dumpi::Status{24, 4, 0, 1, 0}));
  File tagged;
  tagged.version = "000603";
  tagged.calls = status + "0000004D";
  calls = dumpi::RankTrace("x.bin", tagged.bytes()).calls();
  EXPECT_EQ(calls.at(0).statuses("status")[0], (dumpi::Status{24, 4, 0, 1, 77}));

  const std::string argv = "00000003 2E2F61 00000002 2D78";
  old.version = "000601";
  old.calls = "007C 40 0000 00000002 00000002" + argv;
  calls = dumpi::RankTrace("x.bin", old.bytes()).calls();
  EXPECT_EQ(calls.at(0).strings("argv")[1], "-x");
  tagged.calls = "007C 40 0000 00000002" + argv;
  calls = dumpi::RankTrace("x.bin", tagged.bytes()).calls();
  EXPECT_EQ(calls.at(0).strings("argv")[0], "./a");
  old.calls = "007C 40 0000 00000002 00000003" + argv;
  EXPECT_EQ(error_with(old.bytes()), "x.bin: byte 21: argc 2, then 3: must be the same");
}

TEST(TraceFile, ReadsOldRecordsThatHaveAnArraysFirstEntryOnly) {
  File file;
  // Type_struct of two, and Cart_get of two dimensions.
  const std::string type = "0028 40 0000 00000002 00000002 00000001 00000003";
  const std::string types = "00000002 0009 000E 001C";
  const std::string cart =
      "0069 40 0000 00000002 0004 00000002 00000002 00000003 00000004"
      "00000002 00000000 00000001";
  file.version = "000608";
  file.calls = type + "00000010" + types;
  auto call = dumpi::RankTrace("x.bin", file.bytes()).calls().at(0);
  EXPECT_EQ(call.numbers("displacements").size(), 2U);
  EXPECT_EQ(call.numbers("displacements")[0], 16);
  EXPECT_EQ(call.numbers("oldtypes")[1], 14);
  file.calls = cart + "00000002 00000005 00000006";
  call = dumpi::RankTrace("x.bin", file.bytes()).calls().at(0);
  EXPECT_EQ(call.numbers("coords")[1], 6);
  file.version = "000607";
  file.calls = cart + "00000005" + barrier;
  call = dumpi::RankTrace("x.bin", file.bytes()).calls().at(0);
  EXPECT_EQ(call.numbers("coords").size(), 2U);
  EXPECT_EQ(call.numbers("coords")[0], 5);
  file.version = "000609";
  file.calls = type + "00000002 00000010 00000020" + types;
  call = dumpi::RankTrace("x.bin", file.bytes()).calls().at(0);
  EXPECT_EQ(call.numbers("displacements")[1], 32);
}

TEST(TraceFile, ReadsNamesRangesAndWideNumbers) {
  File file;
  file.calls =
      "004E 40 0000 0003 00000001 00000001 00000003 00000000 00000006 00000002 0004"
      "00E6 40 0000 0002 00000003 612E62 25 0001 0005"
      "00FE 40 0000 0005 0000000100000000 02"
      "0123 40 0000 00000000004005D0";
  const auto calls = dumpi::RankTrace("x.bin", file.bytes()).calls();
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[0].numbers("ranges")[1], 6);
  EXPECT_EQ(calls[0].number("newgroup"), 4);
  EXPECT_EQ(calls[1].text("filename"), "a.b");
  EXPECT_EQ(calls[1].number("amode"), 0x25);
  EXPECT_EQ(calls[1].number("file"), 5);
  EXPECT_EQ(calls[2].wide("offset"), std::int64_t{1} << 32);
  EXPECT_EQ(calls[3].label, Label::Function_enter);
  EXPECT_EQ(calls[3].wide("function"), 0x4005D0);
  file.calls = "004E 40 0000 0003 00000001 00000001 00000002 00000000 00000006 0004";
  EXPECT_EQ(error_with(file.bytes()), "x.bin: byte 31: 2 numbers of a range: must be 3");
}

TEST(TraceFile, RefusesWhatIsNoTrace) {
  EXPECT_EQ(error_with(""),
            "x.bin: byte 0: no DUMPI trace: must begin with FF AA DD 44 55 4D 50 49");
  EXPECT_EQ(error_with("something else"),
            "x.bin: byte 0: no DUMPI trace: must begin with FF AA DD 44 55 4D 50 49");
  EXPECT_EQ(error_with(magic + std::string(100, '\0')),
            "x.bin: byte 108: no index at the end: the file is cut off, or was never finished");
}

TEST(TraceFile, RefusesLaterVersions) {
  File file;
  for (const char* later : {"010200", "020000", "FF0000"}) {
    file.version = later;
    EXPECT_NE(error_with(file.bytes()).find(": must be at most 1.1"), std::string::npos) << later;
  }
  file.version = "010200";
  EXPECT_EQ(error_with(file.bytes()), "x.bin: byte 18: version 1.2.0: must be at most 1.1");
  file.version = "0101FF";
  EXPECT_EQ(error_with(file.bytes()), "");
}

TEST(TraceFile, RefusesOffsetsOutsideTheFile) {
  File file;
  const std::string bytes = file.bytes();
  const std::uint64_t index = bytes.size() - 64;
  for (std::uint64_t place = index + 8; place < bytes.size(); place += 8) {
    for (const std::uint64_t offset : {std::uint64_t{7}, index, ~std::uint64_t{0}}) {
      std::string wrong = bytes;
      wrong.replace(place, 8, u64(offset));
      EXPECT_EQ(error_with(wrong), "x.bin: byte " + std::to_string(place) + ": offset " +
                                       std::to_string(offset) + " of a part: must be 0, or 8 to " +
                                       std::to_string(index - 1));
    }
  }
  std::string without = bytes;
  without.replace(index + 4 * 8, 8, u64(0));
  EXPECT_NE(error_with(without).find("no header: must have one"), std::string::npos);
  without = bytes;
  without.replace(index + 5 * 8, 8, u64(0));
  EXPECT_NE(error_with(without).find("no stream of calls: must have one"), std::string::npos);
  // A footer that is none: it would be the header.
  std::string wrong = bytes;
  wrong.replace(index + 6 * 8, 8, u64(file.header_at()));
  EXPECT_NE(error_with(wrong).find("must be 00000000F007FEE7"), std::string::npos);
}

TEST(TraceFile, NamesLabelsThatItDoesNotKnow) {
  for (const int label : {128, 290, 294, 65535}) {
    File file;
    char digits[5];
    std::snprintf(digits, sizeof digits, "%04X", static_cast<unsigned>(label));
    file.calls = barrier + digits + "40 0000";
    EXPECT_EQ(error_with(file.bytes()),
              "x.bin: byte 23: label " + std::to_string(label) +
                  ": must be one of calls.def's, or 293 for the stream's end");
  }
}

TEST(TraceFile, RefusesMoreThanIsLeft) {
  File file;
  file.calls = "0020 40 0000 00000003 FFFFFFFF 00000001 00000002 00000003";
  const std::uint64_t left = file.bytes().size() - 64 - 29;
  EXPECT_EQ(error_with(file.bytes()), "x.bin: byte 25: count 4294967295: must be at most " +
                                          std::to_string(left / 4) + ", as is left");
  file.calls = "000D 43 0000 00000009 7FFFFFFF";
  EXPECT_NE(error_with(file.bytes()).find("count 2147483647: must be at most"), std::string::npos);
  file.calls = "007C 40 0000 10000000";
  EXPECT_NE(error_with(file.bytes()).find("count 268435456: must be at most"), std::string::npos);
  file.calls = "007C 40 0000 00000001 10000000";
  EXPECT_NE(error_with(file.bytes()).find("count 268435456: must be at most"), std::string::npos);
  // A stream without its end runs into the header, and a call there into the index.
  file.calls = barrier;
  file.end = "0021 40 0000";
  EXPECT_NE(error_with(file.bytes()).find("cut off: "), std::string::npos);
}

TEST(TraceFile, RefusesCallsThatContradictThemselves) {
  File file;
  file.calls = barrier + "0020 40 0000 00000003 00000002 00000001 00000002";
  EXPECT_EQ(error_with(file.bytes()),
            "x.bin: byte 23: MPI_Startall: 2 requests, must be count = 3");
  file.calls = "0034 50 0000 0002";
  EXPECT_EQ(error_with(file.bytes()), "x.bin: byte 18: mask 0x50: must have bits of 0xcf only");
  file.calls = "0034 48 0000  0001 3B9ACA00 0001 00000000 0002";
  EXPECT_EQ(error_with(file.bytes()),
            "x.bin: byte 23: 1000000000 ns of a second: must be below 10^9");
}

TEST(TraceFile, IsReadFromAFolder) {
  const castor_test::TestFolder folder;
  const std::string path = folder / "t-0000.bin";
  File file;
  file.calls = barrier + barrier;
  std::ofstream(path, std::ios::binary) << file.bytes();
  const dumpi::RankTrace trace = dumpi::RankTrace::read(path);
  EXPECT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace.name(), path);
  EXPECT_EQ(error_of([&] { dumpi::RankTrace::read(folder / "u"); }),
            folder / "u" + ": is no file that can be read");
  EXPECT_EQ(error_of([&] { dumpi::RankTrace::read(folder.path()); }),
            folder.path() + ": is no file that can be read");
}

}  // namespace
