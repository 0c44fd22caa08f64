// A timeline's spans and arrows, its window, its file, and occurrences on their way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corespec/threads/thread.h"
#include "launch/timeline/occurrence_log.h"
#include "launch/timeline/occurrence_order.h"
#include "launch/timeline/occurrence_packing.h"
#include "launch/timeline/otf2_archive.h"
#include "launch/timeline/timeline_recorder.h"
#include "launch/timeline/timeline_table.h"
#include "launch/timeline/trace_event_file.h"
#include "tests/support/test_folder.h"

namespace launch {
namespace {

using corespec::Occurrence;
using corespec::ThreadRole;
using corespec::Time;
using Kind = Occurrence::Kind;

constexpr Time us(double value) { return Time::microseconds(value); }

Occurrence of_thread(Kind kind, double at, int rank, const char* call,
                     ThreadRole role = ThreadRole::application) {
  Occurrence made{kind};
  made.place = static_cast<std::uint32_t>(rank / 2);
  made.rank = rank;
  made.thread = static_cast<std::uint32_t>(10 + rank);
  made.role = static_cast<std::uint8_t>(role);
  made.begin = made.end = us(at);
  made.call = call;
  return made;
}

Occurrence message(Kind kind, double at, int rank, int peer, std::uint64_t key) {
  Occurrence made = of_thread(kind, at, rank, "MPI_Send");
  made.peer = peer;
  made.key = key;
  made.bytes = 100;
  made.protocol = "E0";
  return made;
}

Occurrence of_cpu(Kind kind, double from, double to, std::uint32_t nid, std::uint32_t cpu) {
  Occurrence made{kind};
  made.place = nid;
  made.part = cpu;
  made.begin = us(from);
  made.end = us(to);
  made.call = kind == Kind::noise ? "daemon" : nullptr;
  return made;
}

/// Rank 0 sends to rank 2 on another node, whose CPU is interrupted.
std::vector<Occurrence> story() {
  return {
      of_thread(Kind::call_begun, 10, 0, "MPI_Send"), message(Kind::message_sent, 11, 0, 2, 7),
      of_thread(Kind::call_ended, 12, 0, "MPI_Send"), of_cpu(Kind::interrupt_raised, 15, 16, 1, 0),
      of_thread(Kind::call_begun, 5, 2, "MPI_Recv"),  message(Kind::message_received, 20, 2, 0, 7),
      of_thread(Kind::call_ended, 21, 2, "MPI_Recv"), of_cpu(Kind::noise, 30, 31, 0, 3)};
}

nlohmann::ordered_json table_of(const TimelineWindow& window) {
  TimelineTable table;
  TimelineRecorder recorder(table, window);
  for (const Occurrence& each : story()) recorder.observe(each);
  recorder.end(us(100));
  return table.json();
}

TEST(Timeline, HasSpansAndArrows) {
  const auto json = table_of({});
  EXPECT_EQ(json["format"], "castor timeline 1");
  EXPECT_EQ(json["spans"].size(), 4U);
  ASSERT_EQ(json["arrows"].size(), 1U);
  const auto& arrow = json["arrows"][0];
  EXPECT_EQ(json["tracks"][arrow[0].get<std::size_t>()]["rank"], 0);
  EXPECT_EQ(json["tracks"][arrow[1].get<std::size_t>()]["rank"], 2);
  EXPECT_EQ(arrow[2], 11.0);
  EXPECT_EQ(arrow[3], 20.0);
  std::map<std::string, std::pair<double, double>> spans;
  for (const auto& span : json["spans"]) {
    spans[json["names"][span[3].get<std::size_t>()]] = {span[1], span[2]};
  }
  using Spans = std::map<std::string, std::pair<double, double>>;
  const Spans expected = {{"MPI_Send", {10, 12}},
                          {"MPI_Recv", {5, 21}},
                          {"interrupt handler", {15, 16}},
                          {"daemon", {30, 31}}};
  EXPECT_EQ(spans, expected);
}

TEST(Timeline, ALostThreadsSpansEndThere) {
  TimelineTable table;
  TimelineRecorder recorder(table, {});
  recorder.observe(of_thread(Kind::call_begun, 10, 0, "MPI_Recv"));
  recorder.observe(of_thread(Kind::thread_switched, 20, 0, nullptr, ThreadRole::progress));
  recorder.observe(of_thread(Kind::thread_lost, 30, 0, "MPI_Recv"));
  recorder.observe(of_thread(Kind::thread_lost, 30, 0, nullptr, ThreadRole::progress));
  recorder.end(us(100));
  int ended = 0;
  for (const TimelineSpan& span : table.spans()) {
    if (span.track.kind == TimelineTrack::Kind::thread) ended += span.end == us(30) ? 1 : 10;
  }
  EXPECT_EQ(ended, 2);
}

TEST(Timeline, ShowsItsWindowOnly) {
  TimelineWindow window;
  window.from = us(11);
  window.to = us(18);
  const auto json = table_of(window);
  EXPECT_EQ(json["spans"].size(), 3U) << "the noise comes later";
  for (const auto& span : json["spans"]) {
    EXPECT_GE(span[1], 11.0);
    EXPECT_LE(span[2], 18.0);
  }
  EXPECT_EQ(json["arrows"].size(), 0U) << "it ends later";
  TimelineWindow of_one;
  of_one.ranks = {2};
  of_one.nids = {1};
  const auto one = table_of(of_one);
  EXPECT_EQ(one["spans"].size(), 2U) << "MPI_Recv and the interrupt";
  EXPECT_EQ(one["arrows"].size(), 1U) << "one of its ends is that rank";
}

TEST(Timeline, LeavesOutWhatThereIsNoRoomFor) {
  TimelineTable table;
  TimelineWindow window;
  window.most = 2;
  TimelineRecorder recorder(table, window);
  for (const Occurrence& each : story()) recorder.observe(each);
  recorder.end(us(100));
  EXPECT_EQ(recorder.left_out(), 3U);
  EXPECT_EQ(recorder.left_out_from(), us(11));
}

TEST(Timeline, WhatIsUnderWayEndsWithTheRun) {
  TimelineTable table;
  TimelineRecorder recorder(table, {});
  recorder.observe(of_thread(Kind::call_begun, 10, 0, "MPI_Recv"));
  recorder.end(us(100));
  EXPECT_EQ(table.json()["spans"][0][2], 100.0);
}

/// The keys that the trace event format wants of each phase.
TEST(TraceEventFile, HasWhatTheFormatWants) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "timeline.json";
  {
    TraceEventFile file("--timeline", name);
    TimelineRecorder recorder(file, {});
    for (const Occurrence& each : story()) recorder.observe(each);
    recorder.end(us(100));
    file.close(R"({"ranks":4})");
  }
  std::ifstream stream(name);
  const auto trace = nlohmann::json::parse(stream);
  EXPECT_EQ(trace["otherData"]["ranks"], 4);
  std::map<std::string, int> phases;
  std::set<std::pair<int, std::int64_t>> named;
  std::map<std::int64_t, double> flows;
  for (const auto& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    ++phases[phase];
    ASSERT_TRUE(event["pid"].is_number_unsigned() && event["tid"].is_number_unsigned());
    ASSERT_TRUE(event["name"].is_string());
    const std::pair<int, std::int64_t> place(event["pid"], event["tid"]);
    if (phase == "M") {
      if (event["name"] == "thread_name") named.insert(place);
      continue;
    }
    EXPECT_EQ(named.count(place), 1U) << "a row has its name first";
    ASSERT_TRUE(event["ts"].is_number());
    if (phase == "X") {
      EXPECT_GE(event["dur"], 0.0);
    }
    if (phase == "s") flows[event["id"]] = event["ts"];
    if (phase == "f") {
      EXPECT_EQ(event["bp"], "e");
      ASSERT_EQ(flows.count(event["id"]), 1U);
      EXPECT_LE(flows[event["id"]], event["ts"]);
    }
  }
  EXPECT_EQ(phases["X"], 4);
  EXPECT_EQ(phases["s"], 1);
  EXPECT_EQ(phases["f"], 1);
}

TEST(TraceEventFile, WhatTakesNoTimeIsAnInstant) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "timeline.json";
  {
    TraceEventFile file("--timeline", name);
    TimelineRecorder recorder(file, {});
    recorder.observe(of_thread(Kind::call_begun, 10, 0, "MPI_Wtime"));
    recorder.observe(of_thread(Kind::call_ended, 10, 0, "MPI_Wtime"));
    file.close("{}");
  }
  std::ifstream stream(name);
  const auto trace = nlohmann::json::parse(stream);
  const auto& event = trace["traceEvents"].back();
  EXPECT_EQ(event["ph"], "i");
  EXPECT_EQ(event["ts"], 10.0);
  EXPECT_EQ(event["name"], "MPI_Wtime");
}

TEST(TraceEventFile, SaysWhyItCannotBeWritten) {
  try {
    TraceEventFile file("--timeline", "/no such folder/t.json");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "--timeline /no such folder/t.json: No such file or directory");
  }
}

/// What OTF2's own reader finds in an archive.
struct Found {
  std::map<std::string, int> events;
  std::map<OTF2_LocationRef, OTF2_TimeStamp> last;
  std::map<OTF2_LocationRef, int> depth;
  bool in_order = true;
  void note(const char* kind, OTF2_LocationRef location, OTF2_TimeStamp time) {
    ++events[kind];
    in_order = in_order && time >= last[location];
    last[location] = time;
  }
};

OTF2_CallbackCode note_location(void* data, OTF2_LocationRef self, OTF2_StringRef,
                                OTF2_LocationType, std::uint64_t, OTF2_LocationGroupRef) {
  static_cast<Found*>(data)->depth[self] = 0;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode note_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                             OTF2_AttributeList*, OTF2_RegionRef) {
  auto& found = *static_cast<Found*>(data);
  found.note("enter", location, time);
  ++found.depth[location];
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode note_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                             OTF2_AttributeList*, OTF2_RegionRef) {
  auto& found = *static_cast<Found*>(data);
  found.note("leave", location, time);
  --found.depth[location];
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode note_send(OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                            OTF2_AttributeList*, std::uint32_t receiver, OTF2_CommRef,
                            std::uint32_t, std::uint64_t bytes) {
  EXPECT_EQ(receiver, 1U) << "rank 2 is the second of those that the archive has";
  EXPECT_EQ(bytes, 100U);
  static_cast<Found*>(data)->note("send", location, time);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode note_receive(OTF2_LocationRef location, OTF2_TimeStamp time, void* data,
                               OTF2_AttributeList*, std::uint32_t sender, OTF2_CommRef,
                               std::uint32_t, std::uint64_t) {
  EXPECT_EQ(sender, 0U);
  static_cast<Found*>(data)->note("receive", location, time);
  return OTF2_CALLBACK_SUCCESS;
}

Found read_otf2(const std::string& file) {
  Found found;
  OTF2_Reader* const reader = OTF2_Reader_Open(file.c_str());
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const of_definitions = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(of_definitions, &note_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, of_definitions, &found);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  for (const auto& [location, depth] : found.depth) OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (const auto& [location, depth] : found.depth) {
    OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, location);
    if (local != nullptr) OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
    OTF2_Reader_GetEvtReader(reader, location);
  }
  OTF2_GlobalEvtReader* const events = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const of_events = OTF2_GlobalEvtReaderCallbacks_New();
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(of_events, &note_enter);
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(of_events, &note_leave);
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(of_events, &note_send);
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(of_events, &note_receive);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, of_events, &found);
  OTF2_Reader_ReadAllGlobalEvents(reader, events, &read);
  OTF2_GlobalDefReaderCallbacks_Delete(of_definitions);
  OTF2_GlobalEvtReaderCallbacks_Delete(of_events);
  OTF2_Reader_Close(reader);
  return found;
}

TEST(Otf2Archive, IsWhatItsOwnLibraryReads) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "run.otf2";
  TimelineTable table;
  TimelineRecorder recorder(table, {});
  for (const Occurrence& each : story()) recorder.observe(each);
  // A wait within a call that ends with it.
  Occurrence wait = of_thread(Kind::lock_waited, 22, 2, "MPI_Send");
  wait.end = us(25);
  recorder.observe(of_thread(Kind::call_begun, 22, 2, "MPI_Send"));
  recorder.observe(wait);
  recorder.observe(of_thread(Kind::call_ended, 25, 2, "MPI_Send"));
  recorder.end(us(100));
  check_otf2("--timeline", file);
  write_otf2("--timeline", file, table, "{}");
  const Found found = read_otf2(file);
  const std::map<std::string, int> expected = {
      {"enter", 6}, {"leave", 6}, {"receive", 1}, {"send", 1}};
  EXPECT_EQ(found.events, expected);
  EXPECT_TRUE(found.in_order);
  for (const auto& [location, depth] : found.depth) EXPECT_EQ(depth, 0) << location;
  EXPECT_EQ(found.depth.size(), 4U) << "two ranks, an interrupt's CPU, noise's";
  EXPECT_THROW(check_otf2("--timeline", file), std::runtime_error) << "it is there already";

  // Beside a program of that name, and beside what is left of an archive.
  for (const std::string name : {"halo", "halo2.def"}) std::ofstream(folder / name) << "taken";
  for (const std::string name : {"halo", "halo2"}) {
    const std::string taken = folder / (name + ".otf2");
    check_otf2("--timeline", taken);
    write_otf2("--timeline", taken, table, "{}");
    EXPECT_EQ(read_otf2(taken + "/" + name + ".otf2").events, expected);
    EXPECT_THROW(check_otf2("--timeline", taken), std::runtime_error);
  }
}

/// Nodes 0 and 1 are in two domains, whose turns may come in either order.
TEST(OccurrenceOrder, IsOfTimeThenNodeThenAsTheNodeTellsIt) {
  const auto at = [](double time, std::uint32_t node, const char* call) {
    Occurrence made{Kind::call_begun};
    made.place = node;
    made.begin = us(time + 0.5);  // told before it begins
    made.call = call;
    return TimedOccurrence{us(time), made};
  };
  const std::vector<TimedOccurrence> first{at(1, 0, "a"), at(2, 0, "c"), at(2, 0, "d"),
                                           at(4, 0, "f")};
  const std::vector<TimedOccurrence> second{at(1, 1, "b"), at(2, 1, "e")};
  for (const auto& turns : {std::pair(first, second), std::pair(second, first)}) {
    OccurrenceOrder order({});
    for (const TimedOccurrence& each : turns.first) order.add(each);
    for (const TimedOccurrence& each : turns.second) order.add(each);
    std::string taken;
    for (const TimedOccurrence& each : order.take_before(us(2))) taken += each.occurrence.call;
    EXPECT_EQ(taken, "ab");
    EXPECT_EQ(order.size(), 4U);
    for (const TimedOccurrence& each : order.take_before(Time::max())) {
      taken += each.occurrence.call;
    }
    EXPECT_EQ(taken, "abcdef");
  }
}

/// A timeline of the window is the same with what is left out here.
TEST(OccurrenceOrder, KeepsWhatConcernsTheWindow) {
  TimelineWindow window;
  window.to = us(20);
  window.ranks = {2};
  window.nids = {1};
  OccurrenceOrder order(window);
  for (const Occurrence& each : story()) order.add({each.begin, each});
  EXPECT_EQ(order.size(), 4U) << "rank 2's, its node's, and the message that it gets";
  TimelineTable table;
  TimelineRecorder recorder(table, window);
  for (const TimedOccurrence& each : order.take_before(Time::max())) {
    recorder.observe(each.occurrence);
  }
  recorder.end(us(100));
  EXPECT_EQ(table.json(), table_of(window));
}

TEST(OccurrencePacker, SendsATextOnce) {
  OccurrencePacker packer;
  corespec::TextTable texts;
  OccurrenceReader reader(texts);
  std::string read;
  const auto take = [&](const TimedOccurrence& timed) {
    read += std::string(timed.occurrence.call == nullptr ? "none" : timed.occurrence.call) + " " +
            std::to_string(timed.at.ps()) + " ";
  };
  for (const Time time : {us(1), us(2)}) {
    packer.add({time, of_thread(Kind::call_begun, 1, 0, "MPI_Send")});
    packer.add({time, of_cpu(Kind::interrupt_raised, 15, 16, 1, 0)});
    if (time == us(2)) packer.add({time, of_thread(Kind::call_begun, 1, 0, "MPI_Recv")});
    const std::string parcel = packer.take();
    EXPECT_EQ(parcel.find("MPI_Send") == std::string::npos, time == us(2));
    reader.read(parcel, take);
  }
  EXPECT_EQ(read, "MPI_Send 1000000 none 1000000 MPI_Send 2000000 none 2000000 MPI_Recv 2000000 ");
}

TEST(OccurrenceLog, BringsOccurrencesToTheLauncher) {
  OccurrenceLog first({}), second({});
  for (const Occurrence& each : story()) (each.rank == 0 ? first : second).observe(each);
  corespec::TextTable texts;
  OccurrenceList list(texts);
  list.add(second.packed());
  list.add(first.packed());
  const std::vector<Occurrence>& all = list.in_order();
  ASSERT_EQ(all.size(), story().size());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].begin, all[i].begin);
  EXPECT_STREQ(all[0].call, "MPI_Recv");
  TimelineTable table;
  TimelineRecorder recorder(table, {});
  for (const Occurrence& each : all) recorder.observe(each);
  recorder.end(us(100));
  EXPECT_EQ(table.json()["arrows"], table_of({})["arrows"]);
  EXPECT_EQ(table.json()["spans"].size(), table_of({})["spans"].size());
}

/// Spans point to names that came from another process; page and archive are written much later.
TEST(OccurrenceLog, NamesOutliveTheList) {
  const std::string name = "MPI_A_name_that_is_too_long_for_a_short_string";
  corespec::TextTable texts;
  TimelineTable table;
  TimelineRecorder recorder(table, {});
  for (const double at : {10.0, 20.0}) {
    OccurrenceLog log({});
    log.observe(of_thread(Kind::call_begun, at, 0, name.c_str()));
    log.observe(of_thread(Kind::call_ended, at + 1, 0, name.c_str()));
    log.observe(of_thread(Kind::call_begun, at + 2, 1, name.c_str()));  // it does not end
    OccurrenceList list(texts);
    list.add(log.packed());
    for (const Occurrence& each : list.in_order()) recorder.observe(each);
  }
  recorder.end(us(100));
  ASSERT_EQ(table.spans().size(), 3U);
  for (const TimelineSpan& span : table.spans()) {
    EXPECT_EQ(span.name, name);
  }
}

TEST(OccurrenceLog, KeepsTheCallThatIsUnderWayWhenTheWindowBegins) {
  TimelineWindow window;
  window.from = us(15);
  OccurrenceLog log(window);
  for (const Occurrence& each : story()) log.observe(each);
  corespec::TextTable texts;
  OccurrenceList list(texts);
  list.add(log.packed());
  TimelineTable table;
  TimelineRecorder recorder(table, window);
  for (const Occurrence& each : list.in_order()) recorder.observe(each);
  recorder.end(us(100));
  bool found = false;
  const auto json = table.json();
  for (const auto& span : json["spans"]) {
    found |= json["names"][span[3].get<std::size_t>()] == "MPI_Recv" && span[1] == 15.0;
  }
  EXPECT_TRUE(found);
}

TEST(OccurrenceLog, WhatIsDamagedIsRefused) {
  OccurrenceLog log({});
  for (const Occurrence& each : story()) log.observe(each);
  const std::string packed = log.packed();
  corespec::TextTable texts;
  for (std::size_t length = 0; length < packed.size(); ++length) {
    // Cut behind whole occurrences: their number is missed.
    OccurrenceList list(texts);
    EXPECT_THROW(list.add(packed.substr(0, length)), std::runtime_error) << length;
  }
  for (std::size_t at = 8; at < packed.size(); ++at) {  // no crash, whatever it says
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x80);
    OccurrenceList list(texts);
    try {
      list.add(damaged);
    } catch (const std::runtime_error&) {
    }
  }
}

}  // namespace
}  // namespace launch
