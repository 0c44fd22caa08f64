// Pages about runs: what of a run's parts they hold, whatever is in them; two runs beside each
// other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "launch/link_map/traffic_file.h"
#include "launch/profile/profile_file.h"
#include "launch/run_page/compare_page.h"
#include "launch/run_page/run_page.h"

namespace launch {
namespace {

using corespec::Time;
using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

/// Two ranks on two nodes. Rank i has sent i + 1 messages of 100 bytes, if there are any.
ProfileData two_ranks(bool messages) {
  ProfileData data;
  data.calls = {"MPI_Send", "MPI_Wait"};
  data.sizes.resize(2);
  for (int i = 0; i < 2; ++i) {
    RankProfile& rank = data.ranks.emplace_back();
    rank.rank = rank.nid = i;
    rank.end = Time::microseconds(100);
    rank.computing = Time::microseconds(60 - 20 * i);
    const std::uint64_t sent = messages ? static_cast<std::uint64_t>(i) + 1 : 0;
    rank.calls = {{1, Time::microseconds(10), Time::microseconds(10), sent, 100 * sent},
                  {2, Time::microseconds(30 + 20 * i), Time::microseconds(30), 0, 0}};
  }
  if (messages) {
    data.sizes[0].add(SizeHistogram::class_of(100), 3, 300);
    data.sizes_by_kind[0].add(SizeHistogram::class_of(100), 3, 300);
    data.protocols = {{"E0", 3, 300}};
  }
  return data;
}

RunDescription run_of(const std::string& program) {
  RunDescription run;
  run.command = {"aprun", "-n", "2", program};
  run.program = program;
  run.clock = "virtual";
  run.system = "a system";
  run.ranks = run.nodes = 2;
  run.nid_of_rank = {0, 1};
  run.fingerprint = "0123456789abcdef";
  return run;
}

/// The parts of a run that has neither counters nor a timeline.
RunPageParts parts_of(const RunDescription& run, bool messages = true) {
  const ProfileData data = two_ranks(messages);
  const ProfileSummary summary = summarise(data);
  RunPageParts parts;
  parts.profile = profile_json(data, summary, run);
  parts.rank_calls = rank_calls_json(data, summary);
  parts.positions = {{"shape", "4x4x4 torus"},
                     {"router", "Gemini"},
                     {"axes", {"x", "y", "z"}},
                     {"nodes", {{0, {0, 0, 0}}, {1, {0, 0, 0}}}}};
  return parts;
}

/// 320 phits in 10 packets have come over one link.
ordered_json some_counters() {
  return ordered_json::parse(R"({"format": "castor counters 1", "system": "a system", "topology":
    "4x2x3 torus", "samples": [{"from": 0, "to": 0.002, "geminis": [{"coordinates": [0, 0, 0],
    "links": [{"direction": "X+", "source": [1, 0, 0], "gbytes_per_second": 9.375, "vc0_phits": 320,
    "vc1_phits": 0, "vc0_packets": 10, "vc1_packets": 0, "inq_stalls": 7, "outq_stalls": 8}]}]}]})");
}

/// What the page's scripts draw.
ordered_json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) throw std::runtime_error("no data");
  const std::size_t to = page.find("</script>", from);
  return ordered_json::parse(page.substr(from + begin.size(), to - from - begin.size()));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(RunPage, HoldsEachPart) {
  RunPageParts parts = parts_of(run_of("/bin/ring"));
  parts.counters = some_counters();
  parts.timeline = {{"tracks", {"rank 0", "rank 1"}}, {"window", {0, 100}}};
  const std::string page = run_page(parts);
  const ordered_json data = data_of(page);
  EXPECT_EQ(data.at("profile"), parts.profile);
  EXPECT_EQ(data.at("rank_calls"), parts.rank_calls);
  EXPECT_EQ(data.at("positions"), parts.positions);
  EXPECT_EQ(data.at("timeline"), parts.timeline);
  const ordered_json& sample = data.at("links").at("samples").at(0);
  EXPECT_EQ(sample.at("counts").at(0).at(1), 320);
  EXPECT_THAT(page, HasSubstr("<title>Run of ring</title>"));
}

TEST(RunPage, APartThatIsNotThereIsNull) {
  const ordered_json without = data_of(run_page(parts_of(run_of("ring"))));
  EXPECT_TRUE(without.at("links").is_null());
  EXPECT_TRUE(without.at("timeline").is_null());
  RunPageParts counted = parts_of(run_of("ring"));
  counted.counters = some_counters();
  EXPECT_FALSE(data_of(run_page(counted)).at("links").is_null());
  EXPECT_TRUE(data_of(run_page(counted)).at("timeline").is_null());
}

TEST(RunPage, ARunWithoutMessagesHasNone) {
  const ordered_json without = data_of(run_page(parts_of(run_of("ring"), false))).at("profile");
  for (const char* const kind : {"point to point", "collective", "one-sided"}) {
    EXPECT_EQ(without.at("sizes").at(kind), ordered_json::array()) << kind;
  }
  EXPECT_EQ(without.at("protocols"), ordered_json::array());
  const ordered_json with = data_of(run_page(parts_of(run_of("ring")))).at("profile");
  EXPECT_EQ(with.at("sizes").at("point to point"), ordered_json::parse("[[64, 3, 300]]"));
}

TEST(RunPage, HasAScriptForEachSectionOnce) {
  const std::string page = run_page(parts_of(run_of("ring")));
  for (const char* const section :
       {"run", "placement", "functions", "ranks", "messages", "links", "timeline"}) {
    const std::string head = std::string("castor.run.section({\n  id: \"") + section + "\"";
    EXPECT_EQ(count(page, head), 1U) << section;
  }
  EXPECT_EQ(count(page, "castor.run.draw(castor.data());"), 1U);
}

TEST(RunPage, NeedsNoOtherFile) {
  RunPageParts parts = parts_of(run_of("ring"));
  parts.counters = some_counters();
  const std::string page = run_page(parts);
  for (const char* const other : {" src=", "<link", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(other)));
  }
}

TEST(RunPage, ACommandIsTextWhateverIsInIt) {
  RunDescription run = run_of("/b/</script><b>&@DATA@");
  run.command = {"aprun",          "</script><script>fail()</script>",
                 "<!--",           R"(a "quoted" 'word')",
                 "back\\slash\\n", "line\nline",
                 "@SCRIPT@"};
  const RunPageParts parts = parts_of(run);
  const std::string page = run_page(parts);
  EXPECT_EQ(data_of(page).at("profile").at("run").at("command"),
            parts.profile.at("run").at("command"));
  const std::string plain = run_page(parts_of(run_of("ring")));
  for (const char* const mark : {"</script", "<script", "<!--", "fail()</"}) {
    EXPECT_EQ(count(page, mark), count(plain, mark)) << mark;
  }
  EXPECT_THAT(page, HasSubstr("<title>Run of script>&lt;b>&amp;@DATA@</title>"));
}

TEST(RunPage, BytesThatAreNoTextBecomeAMark) {
  RunDescription run = run_of("ring");
  run.command = {"aprun", "a\xff"};
  const ordered_json found = data_of(run_page(parts_of(run))).at("profile").at("run").at("command");
  EXPECT_EQ(found.at(1), "a\xef\xbf\xbd");
}

TEST(RunPage, TheSamePartsGiveTheSameBytes) {
  RunPageParts parts = parts_of(run_of("ring"));
  parts.counters = some_counters();
  EXPECT_EQ(run_page(parts), run_page(parts));
  EXPECT_NE(run_page(parts), run_page(parts_of(run_of("ring"))));
}

TEST(RunPage, CountersThatAreNoneAreRefused) {
  RunPageParts parts = parts_of(run_of("ring"));
  parts.counters = {{"format", "another"}};
  EXPECT_THROW(run_page(parts), TrafficFileError);
}

TEST(ComparePage, HoldsWhatItComparesOfBoth) {
  const ordered_json a = parts_of(run_of("/bin/ring")).profile;
  const ordered_json b = parts_of(run_of("/bin/other"), false).profile;
  const std::string page = compare_page(a, b);
  const ordered_json data = data_of(page);
  for (const char* const part : {"time", "calls", "sizes", "protocols"}) {
    EXPECT_EQ(data.at("first").at(part), a.at(part)) << part;
    EXPECT_EQ(data.at("second").at(part), b.at(part)) << part;
  }
  EXPECT_EQ(data.at("first").at("run").at("program"), "/bin/ring");
  EXPECT_EQ(data.at("second").at("run").at("program"), "/bin/other");
  EXPECT_THAT(page, HasSubstr("<title>Runs of ring and other</title>"));
}

TEST(ComparePage, LeavesOutWhatGrowsWithTheRanks) {
  const ordered_json a = parts_of(run_of("ring")).profile;
  const ordered_json data = data_of(compare_page(a, a));
  for (const char* const side : {"first", "second"}) {
    EXPECT_FALSE(data.at(side).contains("ranks")) << side;
    EXPECT_FALSE(data.at(side).at("run").contains("nid_of_rank")) << side;
  }
}

TEST(ComparePage, HasItsOwnSectionsAlone) {
  const ordered_json a = parts_of(run_of("ring")).profile;
  const std::string page = compare_page(a, a);
  for (const char* const section : {"runs", "groups", "functions", "protocols"}) {
    EXPECT_EQ(count(page, std::string("run.section({id: \"") + section + "\""), 1U) << section;
  }
  EXPECT_THAT(page, Not(HasSubstr("id: \"timeline\"")));
  EXPECT_EQ(page, compare_page(a, a));
}

TEST(ComparePage, ACommandIsTextInBoth) {
  RunDescription run = run_of("ring");
  run.command.emplace_back("</script><script>fail()</script>");
  const ordered_json a = parts_of(run).profile;
  const ordered_json plain = parts_of(run_of("ring")).profile;
  const std::string page = compare_page(a, a);
  EXPECT_EQ(count(page, "</script"), count(compare_page(plain, plain), "</script"));
  EXPECT_EQ(data_of(page).at("second").at("run").at("command").at(4),
            "</script><script>fail()</script>");
}

}  // namespace
}  // namespace launch
