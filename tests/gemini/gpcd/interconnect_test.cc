// The reader of what rtr prints.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_folder.h"
#include "ugni_emu/gemini/links/interconnect_file.h"
#include "ugni_emu/include/castor_interconnect.h"

namespace {

using Line = castor_interconnect_line_t;
using Tile = castor_interconnect_tile_t;

constexpr const char* first =
    "c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane";

/// The line, or what is wrong with it.
std::pair<Line, std::string> parsed(const std::string& text) {
  Line line{};
  std::array<char, 300> error{};
  const int result =
      castor_interconnect_parse_line(text.data(), text.size(), &line, error.data(), error.size());
  EXPECT_EQ(result, error[0] == 0 ? 0 : -1) << text;
  return {line, error.data()};
}

std::string text_of(const Tile& tile) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "c%d-%dc%ds%dg%dl%d%d[(%d,%d,%d)]", tile.column, tile.row,
                tile.cage, tile.slot, tile.gemini, tile.tile_row, tile.tile_column, tile.x, tile.y,
                tile.z);
  return text.data();
}

/// As rtr writes it.
std::string text_of(const Line& line) {
  std::string type = line.type == CASTOR_INTERCONNECT_MEZZANINE ? "mezzanine" : "backplane";
  if (line.type == CASTOR_INTERCONNECT_CABLE) {
    type = "cable" + std::to_string(line.cable_class) + line.cable_dimension;
  } else {
    EXPECT_EQ(line.cable_class, 0);
    EXPECT_EQ(line.cable_dimension, 0);
  }
  return text_of(line.from) + " " + castor_interconnect_direction_name(line.direction) + " -> " +
         text_of(line.to) + " LinkType: " + type;
}

std::string interconnect(const char* system) {
  const gemini::Torus torus = gemini::Torus::parse(system);
  std::string text;
  for (gemini::RouterId router = 0; router < torus.routers(); ++router) {
    text += gemini::interconnect_lines(torus, router);
  }
  return text;
}

int append_line(const Line* line, void* text) {
  *static_cast<std::string*>(text) += text_of(*line) + "\n";
  return 0;
}

TEST(Interconnect, ReadsWhatRtrPrints) {
  for (const char* system : {"cielo", "hopper", "3x5x9", "128x1x2"}) {
    const std::string text = interconnect(system);
    std::string again;
    std::array<char, 100> error{};
    EXPECT_EQ(castor_interconnect_read(text.data(), text.size(), system, append_line, &again,
                                       error.data(), error.size()),
              0)
        << error.data();
    EXPECT_EQ(again == text, true) << system;
  }
}

TEST(Interconnect, ReadsTheFormsInWhichTheFormatIsPublished) {
  for (const char* text :
       {"c0-0c0s0g0l00 [(0,0,0)]\tZ+ ->\tc0-0c0s1g0l32 [(0,0,1)]\tLinkType: backplane",
        "c0-0c0s0g0100 [(0,0,0)] Z+ -> c0-0c0s1g0132 [(0,0,1)] LinkType: backplane",
        "  c0-0c0s0g0l00[(0,0,0)]  Z+\t->  c0-0c0s1g0l32\t[(0,0,1)] LinkType:   backplane \r"}) {
    const auto [line, error] = parsed(text);
    EXPECT_EQ(error, "");
    EXPECT_EQ(text_of(line), first) << text;
  }
}

TEST(Interconnect, FieldsOfALine) {
  const auto [line, error] =
      parsed("c12-3c2s7g1l57[(10,7,23)] Y- -> c13-4c1s6g0l42[(65535,6,22)] LinkType: cable18x");
  EXPECT_EQ(error, "");
  const Tile& from = line.from;
  EXPECT_EQ((std::array{from.column, from.row, from.cage, from.slot, from.gemini}),
            (std::array{12, 3, 2, 7, 1}));
  EXPECT_EQ((std::array{from.tile_row, from.tile_column, from.x, from.y, from.z}),
            (std::array{5, 7, 10, 7, 23}));
  EXPECT_EQ((std::array{line.to.column, line.to.tile_row, line.to.tile_column, line.to.x}),
            (std::array{13, 4, 2, 65535}));
  EXPECT_EQ(line.direction, CASTOR_INTERCONNECT_Y_MINUS);
  EXPECT_EQ(line.type, CASTOR_INTERCONNECT_CABLE);
  EXPECT_EQ(line.cable_class, 18);
  EXPECT_EQ(line.cable_dimension, 'x');
  EXPECT_EQ(castor_interconnect_direction_name(-1), nullptr);
}

TEST(Interconnect, SaysWhatIsWrongWithALine) {
  const std::string tile = "a tile such as c0-0c0s0g0l00 must be";
  const std::string place = "coordinates such as [(0,0,0)] must be";
  const std::string type = "a type (mezzanine, backplane, or a cable such as cable11x) must be";
  const std::string direction = "a direction (X+, X-, Y+, Y-, Z+ or Z-) must be";
  const std::vector<std::array<std::string, 3>> wrong = {
      // what to put instead of what in the first line, and what is said
      {first, "", "the line ends where " + tile},
      {"g0l00", "g2l00", "'c0-0c0s0g2l00[(0,0,0)]' where " + tile},
      {"s0g0l00", "s0g0", "'c0-0c0s0g0[(0,0,0)]' where " + tile},
      {"l00", "l60", "'c0-0c0s0g0l60[(0,0,0)]' where " + tile},
      {"l00", "l08", "'c0-0c0s0g0l08[(0,0,0)]' where " + tile},
      {"l00", "x00", "'c0-0c0s0g0x00[(0,0,0)]' where " + tile},
      {"c0-0c0s0g0l00", "l00", "'l00[(0,0,0)]' where " + tile},
      {"c0-0c0s0g0l00", "", "'[(0,0,0)]' where " + tile},
      {"[(0,0,0)]", "[0,0,0]", "'[0,0,0]' where " + place},
      {"[(0,0,0)]", "[(0,-1,0)]", "'[(0,-1,0)]' where " + place},
      {"[(0,0,0)]", "[(0,0,65536)]", "'[(0,0,65536)]' where " + place},
      {"[(0,0,0)]", "[(0,0)]", "'[(0,0)]' where " + place},
      {"[(0,0,0)]", "", "'Z+' where " + place},
      {"Z+", "W+", "'W+' where " + direction},
      {"Z+ ", "", "'->' where " + direction},
      {"->", "<-", "'<-' where -> must be"},
      {"-> c0-0c0s1g0l32", "-> ", "'[(0,0,1)]' where " + tile},
      {"LinkType:", "Type:", "'Type:' where LinkType: must be"},
      {" LinkType: backplane", "", "the line ends where LinkType: must be"},
      {"backplane", "", "the line ends where " + type},
      {"backplane", "cable", "'cable' where " + type},
      {"backplane", "cable11w", "'cable11w' where " + type},
      {"backplane", "cable11xx", "'cable11xx' where " + type},
      {"backplane", "cable-1x", "'cable-1x' where " + type},
      {"backplane", "backplane more", "'more' where the line's end must be"},
      {"backplane", "\x1b[2J", "'\\x1b[2J' where " + type},
      {"backplane", std::string(100, 'b'), "'" + std::string(40, 'b') + "' where " + type}};
  for (const auto& [part, instead, said] : wrong) {
    std::string text = first;
    text.replace(text.find(part), part.size(), instead);
    EXPECT_EQ(parsed(text).second, said) << text;
  }
}

TEST(Interconnect, AnErrorNamesFileAndLine) {
  const std::string text = std::string(first) + "\n \t\r\n\n" + first + "\r\nrubbish\n" + first;
  std::string again;
  std::array<char, 200> error{};
  EXPECT_EQ(castor_interconnect_read(text.data(), text.size(), "a\nfile", append_line, &again,
                                     error.data(), error.size()),
            -1);
  EXPECT_STREQ(error.data(), "a\\nfile:5: 'rubbish' where a tile such as c0-0c0s0g0l00 must be");
  EXPECT_EQ(again, std::string(first) + "\n" + first + "\n");
  std::array<char, 11> little{};
  EXPECT_EQ(castor_interconnect_read(text.data(), text.size(), "file", append_line, &again,
                                     little.data(), little.size()),
            -1);
  EXPECT_STREQ(little.data(), "file:5: 'r");
  EXPECT_EQ(
      castor_interconnect_read(text.data(), text.size(), "file", append_line, &again, nullptr, 0),
      -1);
}

int stop_at_second(const Line*, void* count) { return ++*static_cast<int*>(count) == 2 ? 17 : 0; }

TEST(Interconnect, AVisitorCanStop) {
  const std::string text = interconnect("2x2x2");
  int count = 0;
  std::array<char, 200> error{};
  EXPECT_EQ(castor_interconnect_read(text.data(), text.size(), "file", stop_at_second, &count,
                                     error.data(), error.size()),
            17);
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(error.data(), "");
}

TEST(Interconnect, ReadsAFile) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "interconnect.txt";
  const std::string text = interconnect("2x3x2");
  std::ofstream(name) << text;
  std::string again;
  std::array<char, 400> error{};
  EXPECT_EQ(
      castor_interconnect_read_file(name.c_str(), append_line, &again, error.data(), error.size()),
      0);
  EXPECT_EQ(again, text);
  std::remove(name.c_str());
  EXPECT_EQ(
      castor_interconnect_read_file(name.c_str(), append_line, &again, error.data(), error.size()),
      -1);
  EXPECT_EQ(error.data(), name + ": No such file or directory");
  EXPECT_EQ(castor_interconnect_read_file("/", append_line, &again, error.data(), error.size()),
            -1);
  EXPECT_STREQ(error.data(), "/: Is a directory");
}

struct Part {
  std::array<Line, CASTOR_INTERCONNECT_GEMINI_LINES> lines{};
  int count = 0;
  std::string error;
};

Part part_of(const std::string& text, std::array<int, 3> at) {
  Part part;
  std::array<char, 200> error{};
  part.count = castor_interconnect_of_gemini(text.data(), text.size(), "file", at[0], at[1], at[2],
                                             part.lines.data(), error.data(), error.size());
  part.error = error.data();
  return part;
}

TEST(Interconnect, AGeminisOwnPart) {
  const gemini::Torus torus = gemini::Torus::parse("3x4x5");
  const std::string text = interconnect("3x4x5");
  for (gemini::RouterId router = 0; router < torus.routers(); ++router) {
    const gemini::Coordinates at = torus.coordinates(router);
    const Part part = part_of(text, {at.x, at.y, at.z});
    ASSERT_EQ(part.count, 40) << part.error;
    std::string own;
    for (const Line& line : part.lines) own += text_of(line) + "\n";
    EXPECT_EQ(own, gemini::interconnect_lines(torus, router));
  }
  EXPECT_EQ(part_of(text, {3, 0, 0}).count, -1);
  EXPECT_EQ(part_of(text, {3, 0, 0}).error, "file: no line of the Gemini at (3,0,0)");
  EXPECT_EQ(part_of("", {0, 0, 0}).error, "file: no line of the Gemini at (0,0,0)");
  const std::string line = std::string(first) + "\n";
  EXPECT_EQ(part_of(line + line, {0, 0, 0}).error,
            "file:2: a line of this tile stands before this one");
  EXPECT_EQ(part_of(line + "c0-0c0s0g0l01[(0,0,0)] Q\n", {0, 0, 0}).error,
            "file:2: 'Q' where a direction (X+, X-, Y+, Y-, Z+ or Z-) must be");
  EXPECT_EQ(part_of("\n" + line + "x[(0,0,0)]", {0, 0, 0}).error,
            "file:3: 'x[(0,0,0)]' where a tile such as c0-0c0s0g0l00 must be");
  // Lines of others, and those that only lead here.
  EXPECT_EQ(part_of("rubbish\n[(1,0,0)]\n" + line, {0, 0, 0}).count, 1);
  EXPECT_EQ(part_of(line, {0, 0, 1}).count, -1);
  EXPECT_EQ(part_of("[(0,0,0)", {0, 0, 0}).count, -1);
  std::string all;  // 41 tiles of one Gemini
  for (int tile = 0; tile < 41; ++tile) {
    std::string each = line;
    each[11] = static_cast<char>('0' + tile / 8);
    each[12] = static_cast<char>('0' + tile % 8);
    all += each;
  }
  EXPECT_EQ(part_of(all, {0, 0, 0}).error,
            "file:41: a Gemini has no more than 40 tiles with a line");
}

/// Lines with a few bytes changed: read, or refused with one line.
TEST(Interconnect, DamagedLines) {
  std::mt19937 random(17);
  for (int round = 0; round < 20000; ++round) {
    std::string text = first;
    for (unsigned changes = random() % 3 + 1; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.resize(at + 1);
      } else {
        text[at] = static_cast<char>(random() % 256);
      }
    }
    const auto [line, error] = parsed(text);
    if (!error.empty()) {
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      EXPECT_NE(error.find(" must be"), std::string::npos) << error;
    }
  }
}

}  // namespace
