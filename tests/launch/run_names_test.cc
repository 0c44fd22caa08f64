// Names in what a run leaves about itself: each output has the names of the functions that ranks
// called, on either clock and from several workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::sample;
using nlohmann::json;
using testing::Contains;
using testing::IsSubsetOf;
using Names = std::set<std::string>;

struct Way {
  const char* name;
  Clock clock;
  const char* options;
};

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A page that has bytes of no text in it is no JSON either.
json data_of_page(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

/// Functions that main threads called, by the profile: each rank's process names its own.
Names functions_of(const json& profile) {
  Names names;
  for (const auto& call : profile["calls"]) {
    if (call["calls"] > 0) names.insert(call["name"]);
  }
  return names;
}

Names protocols_of(const json& profile) {
  Names names;
  for (const auto& each : profile["protocols"]) names.insert(each["name"]);
  return names;
}

/// By category, of a page's timeline; what arrows are named by as "arrow".
std::map<std::string, Names> names_of_page(const json& timeline) {
  std::map<std::string, Names> found;
  const auto name = [&](const json& number) {
    return timeline["names"][number.get<std::size_t>()].get<std::string>();
  };
  for (const auto& span : timeline["spans"]) found[name(span[4])].insert(name(span[3]));
  for (const auto& arrow : timeline["arrows"]) found["arrow"].insert(name(arrow[4]));
  return found;
}

/// The same of a file of --timeline.
std::map<std::string, Names> names_of_events(const json& trace) {
  std::map<std::string, Names> found;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" || event["ph"] == "i") found[event["cat"]].insert(event["name"]);
    const std::string name = event["name"];
    if (event["ph"] == "s") found["arrow"].insert(name.substr(0, name.find(' ')));
  }
  return found;
}

OTF2_CallbackCode note_text(void* data, OTF2_StringRef number, const char* text) {
  (*static_cast<std::map<OTF2_StringRef, std::string>*>(data))[number] = text;
  return OTF2_CALLBACK_SUCCESS;
}
struct Regions {
  std::map<OTF2_StringRef, std::string> texts;
  Names names;
};
OTF2_CallbackCode note_region(void* data, OTF2_RegionRef, OTF2_StringRef name, OTF2_StringRef,
                              OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag,
                              OTF2_StringRef, std::uint32_t, std::uint32_t) {
  auto& regions = *static_cast<Regions*>(data);
  regions.names.insert(regions.texts[name]);
  return OTF2_CALLBACK_SUCCESS;
}

/// Names of the regions that an archive defines.
Names regions_of(const std::string& archive) {
  Regions found;
  OTF2_Reader* const reader = OTF2_Reader_Open(archive.c_str());
  if (reader == nullptr) return {};
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(
      callbacks, [](void* data, OTF2_StringRef number, const char* text) {
        return note_text(&static_cast<Regions*>(data)->texts, number, text);
      });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, &note_region);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &found);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  return found.names;
}

class RunNames : public testing::TestWithParam<Way> {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void run(const std::string& outputs) const {
    const CommandResult result =
        aprun_on(GetParam().clock, GetParam().options + (" " + outputs) + " " + sample("mpi_job"));
    ASSERT_EQ(result.code, 0) << result.errors;
  }

 private:
  castor_test::TestFolder folder_;
};

TEST_P(RunNames, AreThoseOfFunctionsInEachOutput) {
  run("--profile " + path("p.json") + " --report " + path("r.html") + " --timeline " +
      path("t.json"));
  const json profile = json::parse(text_of(path("p.json")));
  const Names functions = functions_of(profile);
  for (const char* const each : {"MPI_Init", "MPI_Barrier", "MPI_Finalize"}) {
    EXPECT_THAT(functions, Contains(each));
  }
  const json page = data_of_page(text_of(path("r.html")));
  EXPECT_EQ(functions_of(page["profile"]), functions);
  for (const auto& found :
       {names_of_page(page["timeline"]), names_of_events(json::parse(text_of(path("t.json"))))}) {
    EXPECT_EQ(found.at("call"), functions);
    EXPECT_THAT(found.at("arrow"), IsSubsetOf(protocols_of(profile)));
    for (const auto& [category, names] : found) {
      EXPECT_THAT((Names{"call", "lock", "cpu", "interrupt", "noise", "nic", "arrow"}),
                  Contains(category));
    }
  }
}

TEST_P(RunNames, AreThoseOfFunctionsInAnArchive) {
  run("--profile " + path("p.json") + " --timeline " + path("t.otf2"));
  Names regions = regions_of(path("t.otf2"));
  for (const std::string& each : functions_of(json::parse(text_of(path("p.json"))))) {
    EXPECT_EQ(regions.erase(each), 1U) << each;
  }
  for (const std::string& each : regions) {  // what CPUs and NICs do
    EXPECT_THAT(each, testing::MatchesRegex("rank [0-9]+|FMA|BTE|interrupt handler"));
  }
}

INSTANTIATE_TEST_SUITE_P(, RunNames,
                         testing::Values(Way{"Virtual", Clock::virtual_time,
                                             "-n 4 -N 2 --compute modelled"},
                                         Way{"Workers", Clock::virtual_time,
                                             "-n 32 -N 1 --workers 2 --compute modelled"},
                                         Way{"Live", Clock::live, "-n 4 -N 2"}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
