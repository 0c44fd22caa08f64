// link_map: what it reads, what its page holds, what it refuses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "launch/link_map/link_page.h"
#include "launch/link_map/traffic_file.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch::LinkCounts;
using launch::LinkTraffic;
using launch::TorusPlace;
using launch_test::CommandResult;
using launch_test::run_command;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json link(const std::string& direction, const TorusPlace& source, double speed,
          const std::vector<std::uint64_t>& counts) {
  return {{"direction", direction},   {"source", source},        {"gbytes_per_second", speed},
          {"vc0_phits", counts[0]},   {"vc1_phits", counts[1]},  {"vc0_packets", counts[2]},
          {"vc1_packets", counts[3]}, {"inq_stalls", counts[4]}, {"outq_stalls", counts[5]}};
}

json file(const std::string& topology, const std::vector<json>& geminis) {
  return {{"format", "castor counters 1"},
          {"system", "a system"},
          {"topology", topology},
          {"samples", {{{"from", 0}, {"to", 0.002}, {"geminis", geminis}}}}};
}

/// Two of the Geminis of a torus: (1,0,0) has sent 10 packets to (0,0,0) and got as many answers.
json small_file() {
  return file("4x2x3 torus", {{{"coordinates", {0, 0, 0}},
                               {"links",
                                {link("X+", {1, 0, 0}, 9.375, {320, 0, 10, 0, 7, 8}),
                                 link("Z-", {0, 0, 2}, 15, {0, 0, 0, 0, 0, 0}),
                                 link("HH", {0, 0, 0}, 10.401, {0, 30, 0, 10, 0, 9})}}},
                              {{"coordinates", {1, 0, 0}},
                               {"links",
                                {link("X-", {0, 0, 0}, 9.375, {0, 30, 0, 10, 0, 0}),
                                 link("HH", {1, 0, 0}, 10.401, {320, 0, 10, 0, 5, 0})}}}});
}

LinkTraffic read(const json& document) { return launch::read_traffic(document.dump(), "c.json"); }

/// The counts of a link in the first sample; fails if there is no such link.
LinkCounts counts_of(const LinkTraffic& traffic, std::size_t way, const TorusPlace& from) {
  for (std::size_t i = 0; i < traffic.links().size(); ++i) {
    const launch::TorusLink& each = traffic.links()[i];
    if (each.way == way && each.from == from) return traffic.samples()[0].counts[i];
  }
  ADD_FAILURE() << launch::kLinkWays[way] << " is missing";
  return {};
}

TEST(LinkMap, WhatArrivesBelongsToTheLinkThatLeadsThere) {
  const LinkTraffic traffic = read(small_file());
  // X+ of a Gemini's block comes from greater x: towards X-.
  EXPECT_EQ(counts_of(traffic, 1, {1, 0, 0}), (LinkCounts{320, 0, 10, 0, 7, 0}));
  // Its output stalls are of what waits to leave towards X+; the answers went there, too.
  EXPECT_EQ(counts_of(traffic, 0, {0, 0, 0}), (LinkCounts{0, 30, 0, 10, 0, 8}));
  EXPECT_EQ(counts_of(traffic, launch::kHostWay, {0, 0, 0}), (LinkCounts{0, 30, 0, 10, 0, 9}));
  EXPECT_EQ(counts_of(traffic, launch::kHostWay, {1, 0, 0}), (LinkCounts{320, 0, 10, 0, 5, 0}));
  // Both ways over a link of which only one end is in the file.
  EXPECT_EQ(counts_of(traffic, 4, {0, 0, 2}), LinkCounts{});
  EXPECT_EQ(counts_of(traffic, 5, {0, 0, 0}), LinkCounts{});
  EXPECT_EQ(traffic.links().size(), 6u);
}

/// The page's data.
json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(LinkMap, ThePageHasTheValues) {
  json document = small_file();
  document["samples"].push_back(
      {{"from", 0.002},
       {"to", 0.003},
       {"geminis",
        {{{"coordinates", {3, 1, 2}},
          {"links", {link("Y+", {3, 0, 2}, 4.6875, {18446744073709551615u, 0, 0, 0, 0, 1})}}}}}});
  const json data = data_of(launch::link_page(read(document)));
  EXPECT_EQ(data["system"], "a system");
  EXPECT_EQ(data["size"], json({4, 2, 3}));
  EXPECT_EQ(data["links"], json({{1, 1, 0, 0, 9.375},
                                 {0, 0, 0, 0, 9.375},
                                 {4, 0, 0, 2, 15.0},
                                 {5, 0, 0, 0, 15.0},
                                 {6, 0, 0, 0, 10.401},
                                 {6, 1, 0, 0, 10.401},
                                 {3, 3, 0, 2, 4.6875},
                                 {2, 3, 1, 2, 4.6875}}));
  EXPECT_EQ(data["samples"][0], json({{"from", 0},
                                      {"to", 0.002},
                                      {"counts",
                                       {{0, 320, 0, 10, 0, 7},
                                        {1, 0, 30, 0, 10, 0, 8},
                                        {4, 0, 30, 0, 10, 0, 9},
                                        {5, 320, 0, 10, 0, 5}}}}));
  EXPECT_EQ(data["samples"][1]["counts"],
            json::parse("[[6,18446744073709551615],[7,0,0,0,0,0,1]]"));
}

TEST(LinkMap, ThePageStandsByItself) {
  json document = small_file();
  document["system"] = "a </script><b> & \"system\" \xc3\xa9";
  const std::string page = launch::link_page(read(document));
  EXPECT_EQ(data_of(page)["system"], document["system"]);
  EXPECT_THAT(page, HasSubstr("<title>Links of a &lt;/script>&lt;b> &amp; \"system\" \xc3\xa9"));
  // D3, its licence, no mark left, and nothing that a browser would fetch.
  EXPECT_THAT(page, HasSubstr("!function(){var d3={version:\"3."));
  EXPECT_THAT(page, HasSubstr("Redistributions in binary form must reproduce"));
  EXPECT_THAT(page, Not(HasSubstr("@SCRIPT@")));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

/// Every link of a torus, with counts as a large job has them.
std::string whole_file(const TorusPlace& size) {
  std::string text =
      R"({"format":"castor counters 1","system":"cielo","topology":"16x12x24 torus","samples":[)"
      R"({"from":0,"to":1,"geminis":[)";
  const LinkTraffic torus("", size);
  for (int x = 0; x < size[0]; ++x) {
    for (int y = 0; y < size[1]; ++y) {
      for (int z = 0; z < size[2]; ++z) {
        const TorusPlace at{x, y, z};
        text += fmt::format(R"({{"coordinates":[{}],"links":[)", fmt::join(at, ","));
        for (std::size_t way = 0; way < launch::kLinkWays.size(); ++way) {
          const int packets = 123'456'789 + x * 1000 + z;
          text += fmt::format(
              R"({{"direction":"{}","source":[{}],"gbytes_per_second":9.375,"vc0_phits":{},)"
              R"("vc1_phits":{},"vc0_packets":{},"vc1_packets":{},"inq_stalls":0,"outq_stalls":0}},)",
              launch::kLinkWays[way], fmt::join(torus.neighbour(at, way), ","), 16LL * packets,
              3LL * packets, packets, packets);
        }
        text.back() = ']';
        text += "},";
      }
    }
  }
  text.back() = ']';
  return text + "}]}";
}

TEST(LinkMap, ALargeSystemsPageIsAFewMegabytes) {
  const std::string page = launch::link_page(launch::read_traffic(whole_file({16, 12, 24}), "c"));
  const json data = data_of(page);
  EXPECT_EQ(data["links"].size(), 7u * 4608);
  EXPECT_EQ(data["samples"][0]["counts"].size(), 7u * 4608);
  EXPECT_LT(page.size(), std::size_t{3} << 20);
}

std::string refusal(const std::string& text) {
  try {
    launch::read_traffic(text, "c.json");
  } catch (const launch::TrafficFileError& error) {
    return error.what();
  }
  return "accepted";
}

/// What is said when a value of the small file is another one, or (null) is not there.
std::string refusal_with(const std::string& path, const json& value) {
  json document = small_file();
  const json::json_pointer at(path);
  if (value.is_null()) {
    document[at.parent_pointer()].erase(at.back());
  } else {
    document[at] = value;
  }
  return refusal(document.dump());
}

TEST(LinkMap, RefusesWhatIsNotJson) {
  EXPECT_EQ(refusal(""), "c.json:1:1: the text ends too early");
  EXPECT_EQ(refusal("{\"format\":\n  oops}"), "c.json:2:3: this is not JSON");
  EXPECT_EQ(refusal("{\"format\":\n\n"), "c.json:3:1: the text ends too early");
  EXPECT_EQ(refusal("\x80"), "c.json:1:1: this is not JSON");
  EXPECT_EQ(refusal("[]"), "c.json: /: must be an object");
}

TEST(LinkMap, RefusesWrongValues) {
  const std::string first = "/samples/0/geminis/0/links/0";
  EXPECT_EQ(refusal_with("/format", "castor counters 2"),
            "c.json: /format: must be \"castor counters 1\"");
  EXPECT_EQ(refusal_with("/samples", nullptr), "c.json: /: 'samples' is missing");
  EXPECT_EQ(refusal_with("/samples", json::array()), "c.json: /samples: there is none");
  EXPECT_EQ(refusal_with("/system", 7), "c.json: /system: must be a string");
  for (const char* const topology : {"", "4x2x3", "4x2x3 torus ", "4x2x0 torus", "4x2 torus",
                                     "129x2x3 torus", "99999999999x2x3 torus"}) {
    EXPECT_EQ(refusal_with("/topology", topology),
              "c.json: /topology: must be like \"16x12x24 torus\", each side 1 to 128")
        << topology;
  }
  EXPECT_EQ(refusal_with("/topology", "15x6x16 dragonfly"),
            "c.json: /topology: '15x6x16 dragonfly' is no torus: link_map draws the links of a "
            "torus only");
  EXPECT_EQ(refusal_with("/samples/0/to", -1),
            "c.json: /samples/0: 'to' must not be before 'from'");
  EXPECT_EQ(refusal_with("/samples/0/to", "1"), "c.json: /samples/0/to: must be a number");
  EXPECT_EQ(refusal_with("/samples/0/geminis", 1), "c.json: /samples/0/geminis: must be an array");
  EXPECT_EQ(refusal_with("/samples/0/geminis/1/coordinates", {4, 0, 0}),
            "c.json: /samples/0/geminis/1/coordinates/0: 4 is not in the torus: 0 to 3");
  EXPECT_EQ(refusal_with("/samples/0/geminis/1/coordinates", {1, 0}),
            "c.json: /samples/0/geminis/1/coordinates: must be three coordinates");
  EXPECT_EQ(refusal_with(first + "/direction", "W+"),
            "c.json: " + first + "/direction: must be X+, X-, Y+, Y-, Z+, Z- or HH");
  EXPECT_EQ(refusal_with(first + "/source", {2, 0, 0}),
            "c.json: " + first + "/source: is not where X+ of (0,0,0) leads");
  EXPECT_EQ(refusal_with(first + "/gbytes_per_second", 0),
            "c.json: " + first + "/gbytes_per_second: must be above 0");
  EXPECT_EQ(refusal_with(first + "/vc0_phits", -1),
            "c.json: " + first + "/vc0_phits: must be a count, 0 or more");
  EXPECT_EQ(refusal_with(first + "/outq_stalls", nullptr),
            "c.json: " + first + ": 'outq_stalls' is missing");
  EXPECT_EQ(refusal_with("/samples/0/geminis/1/coordinates", {0, 0, 0}),
            "c.json: /samples/0/geminis/1/links/0/source: is not where X- of (0,0,0) leads");
  json twice = small_file();
  json& geminis = twice["samples"][0]["geminis"];
  geminis.push_back(geminis[1]);
  EXPECT_EQ(refusal(twice.dump()),
            "c.json: /samples/0/geminis/2/links/0: this link stands before, too");
}

/// A line of `aprun --counters FILE.txt` about a link of the Gemini at `at`: the link that leads
/// there, and its counts but for output stalls.
std::pair<launch::TorusLink, LinkCounts> text_line(const std::string& line, const TorusPlace& at,
                                                   const LinkTraffic& traffic) {
  std::array<char, 3> name{};
  launch::TorusLink link;
  LinkCounts counts;
  const int read = std::sscanf(line.c_str(), "%2s\t(%d, %d, %d)\t%lf\t%lu\t%lu\t%lu\t%lu\t%lu",
                               name.data(), &link.from[0], &link.from[1], &link.from[2],
                               &link.gbytes_per_second, &counts.vc0_phits, &counts.vc1_phits,
                               &counts.vc0_packets, &counts.vc1_packets, &counts.input_stalls);
  EXPECT_EQ(read, 10) << line;
  while (link.way < launch::kLinkWays.size() &&
         (launch::kLinkWays[launch::opposite(link.way)] != std::string(name.data()) ||
          traffic.neighbour(link.from, link.way) != at)) {
    ++link.way;
  }
  return {link, counts};
}

TEST(LinkMap, DrawsWhatAprunCounts) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "job";
  const CommandResult job =
      launch_test::aprun("-q --system 4x2x3 -n 20 -N 1 --counters " + name + ".json --counters " +
                         name + ".txt " + launch_test::tool("halo_scale"));
  ASSERT_EQ(job.code, 0) << job.errors;
  const auto text_of = [](const std::string& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const LinkTraffic traffic = launch::read_traffic(text_of(name + ".json"), "job.json");
  EXPECT_EQ(traffic.size(), (TorusPlace{4, 2, 3}));
  ASSERT_EQ(traffic.samples().size(), 1u);
  TorusPlace at{};
  std::uint64_t packets = 0;
  int lines = 0;
  for (const std::string& line : launch_test::lines_of(text_of(name + ".txt"))) {
    if (line.starts_with("#")) continue;
    if (std::sscanf(line.c_str(), "\t(%d, %d, %d)", &at[0], &at[1], &at[2]) == 3) continue;
    const auto [link, counts] = text_line(line, at, traffic);
    ASSERT_LT(link.way, launch::kLinkWays.size()) << line;
    EXPECT_EQ(counts_of(traffic, link.way, link.from), counts) << line;
    packets += counts.vc0_packets;
    ++lines;
  }
  EXPECT_GE(lines, 10 * 7);
  EXPECT_GT(packets, 20u * 10 * 6);  // ten iterations with messages to neighbours in six directions
  EXPECT_EQ(data_of(launch::link_page(traffic))["links"].size(), traffic.links().size());
}

class LinkMapProgram : public testing::Test {
 protected:
  static CommandResult link_map(const std::string& arguments, const std::string& before = "") {
    return run_command(before + launch_test::tool("link_map") + " " + arguments);
  }

  static void expect_refusal(const CommandResult& result, const std::string& line) {
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "link_map: " + line + "\n");
  }
};

TEST_F(LinkMapProgram, WritesThePage) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "counters.json";
  std::ofstream(name) << small_file();
  const CommandResult printed = link_map(name);
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.output, launch::link_page(read(small_file())));
  const std::string page = folder / "map.html";
  EXPECT_EQ(link_map("-o " + page + " " + name).output, "");
  std::ifstream written(page);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), printed.output);
  const CommandResult full =
      run_command(launch_test::tool("link_map") + " " + name + " -o /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.errors, "link_map: /dev/full: No space left on device\n");
}

TEST_F(LinkMapProgram, RefusesInOneLine) {
  expect_refusal(link_map(""),
                 "a file is needed: what aprun --counters FILE.json has written; see link_map "
                 "--help");
  expect_refusal(link_map("--draw"), "--draw: there is no such option; see link_map --help");
  expect_refusal(link_map("a b"), "a and b: one file is read");
  expect_refusal(link_map("a -o"), "-o: FILE is missing");
  expect_refusal(link_map("/no/such/file"), "/no/such/file: No such file or directory");
  expect_refusal(link_map("/"), "/: Is a directory");
  expect_refusal(link_map("-"), "standard input:1:1: the text ends too early");
  EXPECT_THAT(link_map("--help").output, HasSubstr("-o FILE"));
  EXPECT_THAT(link_map("--version").output, testing::StartsWith("link_map (Castor) "));
}

}  // namespace
