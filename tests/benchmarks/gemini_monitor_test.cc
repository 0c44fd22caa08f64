// The Gemini monitor library in programs of several shapes: what it prints, to the tab, and what it
// refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead =
    "#\tDEST_COORD\n"
    "#\tSRC_COORD\tGB/s\tVC0_PHITS\tVC1_PHITS\tVC0_PKTS\tVC1_PKTS\tINQ_STALLS\tOUTQ_STALLS\n";

constexpr std::array<const char*, 7> kLinks{"X+", "X-", "Y+", "Y-", "Z+", "Z-", "HH"};

using Place = std::array<int, 3>;
using Counts = std::array<std::uint64_t, 6>;

std::string text_of(const Place& place) {
  return fmt::format("({}, {}, {})", place[0], place[1], place[2]);
}

std::string line_of(const std::string& link, const Place& other, double rate,
                    const Counts& counts) {
  std::string line = fmt::format("{}\t{}\t{:.2f}", link, text_of(other), rate);
  for (const std::uint64_t count : counts) line += fmt::format("\t{}", count);
  return line + "\n";
}

/// A link as the lines of the map say.
struct Link {
  std::vector<int> tiles;
  Place other{};
  double rate = 0;
};

/// The map, read without the library's reader.
std::map<Place, std::map<std::string, Link>> read_map(const std::string& text) {
  static const std::map<std::string, double> rates{
      {"mezzanine", 2.34375}, {"backplane", 1.875}, {"cable", 1.171875}};
  std::map<Place, std::map<std::string, Link>> geminis;
  for (const std::string& line : lines_of(text)) {
    int row_and_column = 0;
    Place at{}, to{};
    std::array<char, 3> direction{};
    std::array<char, 20> type{};
    const int read =
        std::sscanf(line.c_str(), "%*[^l]l%2d[(%d,%d,%d)] %2s -> %*[^[][(%d,%d,%d)] LinkType: %19s",
                    &row_and_column, &at[0], &at[1], &at[2], direction.data(), &to[0], &to[1],
                    &to[2], type.data());
    EXPECT_EQ(read, 9) << line;
    Link& link = geminis[at][direction.data()];
    link.tiles.push_back(8 * (row_and_column / 10) + row_and_column % 10);
    link.other = to;
    link.rate += rates.at(std::string(type.data()).substr(0, 5) == "cable" ? "cable" : type.data());
  }
  return geminis;
}

class GeminiMonitor : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  /// Writes a system's map, under the library's own name for it, and has jobs run on the system.
  std::string use_system(const std::string& system) {
    system_ = system;
    const CommandResult map =
        run_command(launch_test::tool("rtr") + " --system " + system + " --interconnect");
    EXPECT_EQ(map.code, 0) << map.errors;
    write("interconnect.txt", map.output);
    return map.output;
  }

  /// In the folder of the map.
  CommandResult run(const std::string& options, const std::string& program,
                    const std::string& variables = "",
                    launch_test::Clock clock = launch_test::Clock::virtual_time) const {
    return launch_test::aprun_on(
        clock, "--system " + system_ + " " + options + " " + launch_test::sample(program),
        "-C " + folder_.path() + " " + variables);
  }

  /// What a job with the program's own counters prints of a Gemini; `factor` is what the counters
  /// have counted between two reads.
  std::string known_block(const Place& place, const std::map<std::string, Link>& links,
                          std::uint64_t factor) const {
    std::string text = "\t" + text_of(place) + "\n";
    std::array<bool, 48> named{};
    const auto counts_of = [factor](const std::vector<int>& tiles) {
      Counts counts{};
      for (const int tile : tiles) {
        for (std::uint64_t counter = 0; counter < 6; ++counter) {
          counts[counter] += factor * (1000 * counter + static_cast<std::uint64_t>(tile) + 1) << 20;
        }
      }
      return counts;
    };
    for (const char* const name : kLinks) {
      const auto link = links.find(name);
      if (link == links.end()) continue;
      for (const int tile : link->second.tiles) named[static_cast<std::size_t>(tile)] = true;
      text += line_of(name, link->second.other, link->second.rate, counts_of(link->second.tiles));
    }
    std::vector<int> host;
    for (int tile = 0; tile < 48; ++tile) {
      if (!named[static_cast<std::size_t>(tile)]) host.push_back(tile);
    }
    return text + line_of("HH", place, 10.401, counts_of(host));
  }

  castor_test::TestFolder folder_;
  std::string system_;
};

std::vector<std::string> places_in(const std::string& output) {
  std::vector<std::string> places;
  for (const std::string& line : lines_of(output)) {
    if (line.starts_with("\t")) places.push_back(line.substr(1));
  }
  return places;
}

/// One line of the library, then what all ranks returned.
void expect_failure(const CommandResult& result, const std::string& line,
                    const std::string& codes) {
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(lines_of(result.errors), ElementsAre("gemini monitor: " + line, "codes: " + codes));
}

TEST_F(GeminiMonitor, SumsTilesToLinksAndPrintsFigureFour) {
  const auto map = read_map(use_system("cielo"));
  const CommandResult result = run("-n 6 -N 1", "monitored_known world irrpf");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.errors, "codes: 0 0 0 0 0\n");
  std::string wanted = kHead;
  // The trial read of the initialisation is the first: 9 - 4.
  for (int z = 0; z < 3; ++z) wanted += known_block({0, 0, z}, map.at({0, 0, z}), 5);
  EXPECT_EQ(result.output, wanted);
  // By hand, from S0's figure 3: X+ of the first Gemini has tiles 2, 3, 10, 11, 24, 25, 32, 33.
  EXPECT_THAT(result.output,
              HasSubstr(fmt::format("\nX+\t(1, 0, 0)\t9.38\t{}", (5ull * (140 + 8)) << 20)));
}

TEST_F(GeminiMonitor, PrintsTheLastTwoSamples) {
  const auto map = read_map(use_system("3x2x5"));
  const CommandResult result = run("-n 1", "monitored_known world irrprpf");
  EXPECT_EQ(result.errors, "codes: 0 0 0 0 0 0 0\n");
  EXPECT_EQ(result.output, kHead + known_block({0, 0, 0}, map.at({0, 0, 0}), 5) + kHead +
                               known_block({0, 0, 0}, map.at({0, 0, 0}), 7));
}

TEST_F(GeminiMonitor, HasOneLeaderToAGemini) {
  use_system("4x2x2");
  // Two ranks to a node, two nodes to a Gemini, the last one with half of its nodes.
  EXPECT_THAT(places_in(run("-n 9 -N 2", "monitored_known world irrpf").output),
              ElementsAre("(0, 0, 0)", "(0, 0, 1)", "(0, 1, 0)"));
  // One node of each.
  EXPECT_THAT(places_in(run("-n 3 -N 1 -L 9,2,1", "monitored_known world irrpf").output),
              ElementsAre("(1, 0, 0)", "(0, 0, 1)", "(0, 0, 0)"));
}

TEST_F(GeminiMonitor, TakesAnyCommunicator) {
  use_system("4x2x2");
  EXPECT_THAT(places_in(run("-n 10 -N 2", "monitored_known odd irrpf").output),
              ElementsAre("(0, 0, 0)", "(0, 0, 1)", "(0, 1, 0)"));
  EXPECT_THAT(places_in(run("-n 10 -N 2", "monitored_known reversed irrpf").output),
              ElementsAre("(0, 1, 0)", "(0, 0, 1)", "(0, 0, 0)"));
  expect_failure(run("-n 4 -N 2", "monitored_known null irrpf"),
                 "the communicator is MPI_COMM_NULL", "1 1 1 1 1");
}

TEST_F(GeminiMonitor, KnowsSmallSystems) {
  const auto map = read_map(use_system("2x1x3"));
  EXPECT_EQ(run("-n 1", "monitored_known world irrpf").output,
            kHead + known_block({0, 0, 0}, map.at({0, 0, 0}), 5));
  EXPECT_EQ(use_system("1x1x1"), "");
  EXPECT_EQ(run("-n 2 -N 1", "monitored_known world irrpf").output,
            kHead + known_block({0, 0, 0}, {}, 5));
}

TEST_F(GeminiMonitor, ReadsTheFileThatTheEnvironmentNames) {
  const std::string map = use_system("4x2x2");
  // Lines in any order: those of a Gemini come in several parts.
  std::vector<std::string> lines = lines_of(map);
  std::string turned;
  for (std::size_t i = 0; i < lines.size(); ++i)
    turned += lines[(i * 77) % lines.size()] + "\r\n\n";
  write("turned.txt", turned);
  const CommandResult usual = run("-n 32 -N 1", "monitored_known world irrpf");
  std::filesystem::remove(path("interconnect.txt"));
  const CommandResult other =
      run("-n 32 -N 1", "monitored_known world irrpf", "GEMINI_INTERCONNECT=turned.txt");
  EXPECT_EQ(places_in(other.output).size(), 16u) << other.errors;
  EXPECT_EQ(other.output, usual.output);
}

TEST_F(GeminiMonitor, RefusesAWrongMap) {
  const std::string map = use_system("4x2x2");
  const std::string all_fail = "2 2 2 2 2";
  const auto with = [this](const std::string& text) {
    write("wrong.txt", text);
    return run("-n 6 -N 1", "monitored_known world irrpf", "GEMINI_INTERCONNECT=wrong.txt");
  };
  const std::string first = lines_of(map)[0] + "\n";
  expect_failure(run("-n 6 -N 1", "monitored_known world irrpf", "GEMINI_INTERCONNECT=missing"),
                 "missing: No such file or directory (GEMINI_INTERCONNECT names the file of links)",
                 all_fail);
  expect_failure(run("-n 6 -N 1", "monitored_known world irrpf", "GEMINI_INTERCONNECT=/"),
                 "/: Is a directory", all_fail);
  expect_failure(with(map + "\nc0-0c0s0g0l00 W+\n"),
                 "wrong.txt:642: 'W+' where coordinates such as [(0,0,0)] must be", all_fail);
  expect_failure(with(""), "wrong.txt: no line of the Gemini at (0,0,0)", all_fail);
  expect_failure(with(map.substr(0, map.find("c0-0c0s0g1l00[(0,1,0)] "))),
                 "wrong.txt: no line of the Gemini at (0,1,0)", all_fail);
  expect_failure(with(map + first),
                 "wrong.txt: the Gemini at (0,0,0) has two lines of its tile 0 in row 0", all_fail);
  expect_failure(with(first + "c0-0c0s0g0l01[(0,0,0)] Z+ -> c0-0c0s1g0l21[(3,0,1)] LinkType: "
                              "backplane\n"),
                 "wrong.txt: Z+ of the Gemini at (0,0,0) leads to (0,0,1) and to (3,0,1)",
                 all_fail);
}

TEST_F(GeminiMonitor, RefusesADragonfly) {
  use_system("dragonfly:2x1x2x4");
  expect_failure(run("-n 6 -N 1", "monitored_known world irrpf"),
                 "the job's system is a dragonfly; this library knows the links of a torus only",
                 "3 3 3 3 3");
}

TEST_F(GeminiMonitor, NeedsTwoSamples) {
  use_system("4x2x2");
  expect_failure(run("-n 6 -N 1", "monitored_known world ipf"),
                 "gemini_print_counters() after 0 of two calls of gemini_read_counters()", "0 5 0");
  expect_failure(run("-n 6 -N 1", "monitored_known world irpf"),
                 "gemini_print_counters() after 1 of two calls of gemini_read_counters()",
                 "0 0 5 0");
}

TEST_F(GeminiMonitor, RefusesCallsThatCannotBe) {
  use_system("4x2x2");
  expect_failure(run("-n 6 -N 1", "monitored_known world r"), "the state is not initialised", "1");
  expect_failure(run("-n 6 -N 1", "monitored_known world ixf"),
                 "the communicator is not that of gemini_init_state()", "0 1 0");
  expect_failure(run("-n 6 -N 1", "monitored_known world ifp"), "the state is not initialised",
                 "0 0 1");
  const CommandResult null = run("-n 6 -N 1", "monitored_known world n");
  EXPECT_EQ(null.errors,
            "gemini monitor: the state is a null pointer\n"
            "gemini monitor: the state is a null pointer\ncodes: 11\n");
}

TEST_F(GeminiMonitor, AllRanksHearOfALeaderThatCannotRead) {
  use_system("4x2x2");
  const std::string line =
      "the counters of the Gemini at (0,0,1) cannot be read: Operation not supported";
  // When it is initialised, and later: then print tells.
  expect_failure(run("-n 6 -N 1", "monitored_known world irrpf", "COUNTERS_FAIL=2:1"), line,
                 "4 4 4 4 4");
  expect_failure(run("-n 6 -N 1", "monitored_known world irrpf", "COUNTERS_FAIL=2:3"), line,
                 "0 0 0 4 0");
}

TEST_F(GeminiMonitor, PrintsWhereItIsTold) {
  use_system("4x2x2");
  const CommandResult usual = run("-n 6 -N 1", "monitored_known world irrpf");
  const CommandResult file = run("-n 6 -N 1", "monitored_known world irropf counters.txt");
  EXPECT_EQ(file.output, "");
  EXPECT_EQ(read("counters.txt"), usual.output);
  expect_failure(run("-n 6 -N 1", "monitored_known world irropf /dev/full"),
                 "the counters cannot be written: No space left on device", "0 0 0 0 6 0");
}

TEST_F(GeminiMonitor, SaysHowMuchMemoryItUses) {
  use_system("4x2x2");
  const auto bytes = [this](int nodes) {
    const CommandResult result =
        run(fmt::format("-n {} -N 1", nodes), "monitored_known world irrpf", "GEMINI_VERBOSE=1");
    int geminis = 0;
    std::array<unsigned, 3> read{};
    EXPECT_EQ(std::sscanf(result.errors.c_str(),
                          "gemini monitor: %d Geminis; memory: rank 0 %u bytes, other leaders %u, "
                          "other ranks %u\n",
                          &geminis, &read[0], &read[1], &read[2]),
              4)
        << result.errors;
    EXPECT_EQ(geminis, nodes / 2);
    return read;
  };
  const auto four = bytes(8), sixteen = bytes(32);
  // S0: 6 MB on rank 0 for 10,000 Geminis; others keep what is their own.
  EXPECT_GT(sixteen[0], four[0]);
  EXPECT_LE((sixteen[0] - four[0]) / 12, 600u);
  EXPECT_EQ(four[1], sixteen[1]);
  EXPECT_LT(four[1], 16'384u);
  EXPECT_LT(four[2], 64u);
}

/// A block in which the links of `counted` have counted, and no other.
std::string block_with(const Place& place, const std::map<std::string, Link>& links,
                       const std::map<std::string, Counts>& counted) {
  std::string text = "\t" + text_of(place) + "\n";
  for (const char* const name : kLinks) {
    const bool host = std::string(name) == "HH";
    const Link link = host ? Link{{}, place, 10.401} : links.at(name);
    const auto found = counted.find(name);
    text += line_of(name, link.other, link.rate, found == counted.end() ? Counts{} : found->second);
  }
  return text;
}

TEST_F(GeminiMonitor, CountsWhatIsSentBetweenTheReadsAndNothingOfItsOwn) {
  const auto map = read_map(use_system("4x2x2"));
  // 6,400 bytes are 100 packets of 32 phits, and as many acknowledgements of 3.
  const Counts requests{3200, 0, 100, 0, 0, 0}, answers{0, 300, 0, 100, 0, 0};
  const Place from{0, 0, 0}, corner{1, 0, 0}, back{0, 1, 0}, to{1, 1, 0};
  // The first write to a window asks where it is; and the barrier's last acknowledgements come
  // after it.
  const CommandResult there = run("-n 4 -N 1 -L 0,8,4,12", "monitored world iwsbdrdwddrpf");
  EXPECT_EQ(there.errors, "codes: 0 0 0 0 0\n");
  // Requests go by X, then Y; answers, too, and so by another Gemini. Half way round is plus.
  EXPECT_EQ(there.output, kHead +
                              block_with(from, map.at(from), {{"HH", requests}, {"Y-", answers}}) +
                              block_with(corner, map.at(corner), {{"X-", requests}}) +
                              block_with(back, map.at(back), {{"X+", answers}}) +
                              block_with(to, map.at(to), {{"Y-", requests}, {"HH", answers}}));
  // Of two regions each has its own.
  const CommandResult both = run("-n 4 -N 1 -L 0,8,4,12", "monitored world iwsbdrdwddrdddsddrpf");
  EXPECT_EQ(both.output, kHead +
                             block_with(from, map.at(from), {{"HH", answers}, {"Y-", requests}}) +
                             block_with(corner, map.at(corner), {{"X-", answers}}) +
                             block_with(back, map.at(back), {{"X+", requests}}) +
                             block_with(to, map.at(to), {{"Y-", answers}, {"HH", requests}}));
}

TEST_F(GeminiMonitor, TheExampleShowsWhereItsMessagesGo) {
  use_system("4x2x2");
  // Two nodes to a Gemini: every second message stays there, in Netlink.
  const CommandResult result = run("-n 8 -N 1", "monitored_region");
  ASSERT_EQ(result.code, 0) << result.errors;
  ASSERT_EQ(places_in(result.output).size(), 4u);
  int injecting = 0;
  for (const std::string& line : lines_of(result.output)) {
    unsigned long long phits = 0;
    if (std::sscanf(line.c_str(), "HH\t(%*d, %*d, %*d)\t%*f\t%llu", &phits) != 1) continue;
    // 16,384 PUTs of 64 bytes, and messages of protocol and barriers.
    EXPECT_GE(phits, 16384u * 32);
    EXPECT_LT(phits, 16384u * 32 * 102 / 100);
    ++injecting;
  }
  EXPECT_EQ(injecting, 4);
}

TEST_F(GeminiMonitor, SaysWhereThereAreNoCounters) {
  use_system("4x2x2");
  const CommandResult result = run("-n 4 -N 1", "monitored world irrpf", "CASTOR_COUNTERS=off");
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(lines_of(result.errors),
              testing::IsSupersetOf({std::string("gemini monitor: the counters of the Gemini at "
                                                 "(0,0,0) cannot be read: Operation not supported"),
                                     std::string("codes: 4 4 4 4 4")}));
  EXPECT_EQ(result.code, 0);
}

TEST_F(GeminiMonitor, WorksOnTheHostsClockToo) {
  const auto map = read_map(use_system("4x2x2"));
  const CommandResult result =
      run("-n 4 -N 1", "monitored_known world irrpf", "", launch_test::Clock::live);
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, kHead + known_block({0, 0, 0}, map.at({0, 0, 0}), 5) +
                               known_block({0, 0, 1}, map.at({0, 0, 1}), 5));
}

}  // namespace
