// The tidy rules themselves: bad snippets are found, good ones pass.
#include "tests/tidy/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> rules_of(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.push_back(finding.rule);
  return rules;
}

std::vector<std::string> globals_in(const std::string& code, const std::string& path = "a/b.cc") {
  return rules_of(check_globals(make_source(path, code)));
}

std::vector<std::string> calls_in(const std::string& code) {
  return rules_of(check_calls(make_source("netmod/x.cc", code)));
}

TEST(Layers, FindsALowerLayerThatIncludesAHigherOne) {
  const auto file = make_source("corespec/a.cc", "#include \"netmod/b.h\"\n");
  EXPECT_THAT(rules_of(check_layers(file)), ElementsAre("layers"));
  const auto spaced = make_source("ugni_emu/a.h", "\n #  include <launch/b.h>\n");
  ASSERT_THAT(rules_of(check_layers(spaced)), ElementsAre("layers"));
  EXPECT_EQ(check_layers(spaced)[0].line, 2);
}

TEST(Layers, LetsAHigherLayerIncludeALowerOne) {
  EXPECT_THAT(check_layers(make_source("launch/a.cc", "#include \"corespec/b.h\"\n")), IsEmpty());
  EXPECT_THAT(check_layers(make_source("netmod/a.cc", "#include \"netmod/b.h\"\n")), IsEmpty());
  EXPECT_THAT(check_layers(make_source("tests/a.cc", "#include \"launch/b.h\"\n")), IsEmpty());
}

TEST(Layers, KeepsProgramsToPublicHeaders) {
  const auto bad = make_source("benchmarks/a.c", "#include \"corespec/time/time.h\"\n");
  EXPECT_THAT(rules_of(check_layers(bad)), ElementsAre("layers"));
  const auto good = make_source("benchmarks/a.c",
                                "#include <mpi.h>\n#include \"corespec_work.h\"\n#include "
                                "\"benchmarks/common/b.h\"\n#include \"corespec/include/c.h\"\n");
  EXPECT_THAT(check_layers(good), IsEmpty());
}

TEST(Doors, FindsALibraryThatReachesIntoUgni) {
  for (const char* path :
       {"netmod/device/a.cc", "armci/core/a.h", "ugni_emu/rma/a.cc", "ugni_emu/dmapp/a.cc"}) {
    for (const char* inside :
         {"ugni_emu/nic/nic.h", "ugni_emu/gni/gni_caller.h", "ugni_emu/wire/payload.h",
          "ugni_emu/gemini/links/link_bandwidth.h"}) {
      const auto file =
          make_source(path, "#include <span>\n#include \"" + std::string(inside) + "\"\n");
      ASSERT_THAT(rules_of(check_doors(file)), ElementsAre("doors")) << path << " " << inside;
      EXPECT_EQ(check_doors(file)[0].line, 2);
    }
  }
}

TEST(Doors, LetsLibrariesIncludeDoorsAndPublicHeaders) {
  const std::string code =
      "#include \"corespec/time/time.h\"\n#include \"ugni_emu/doors/doors.h\"\n"
      "#include \"ugni_emu/include/gni_pub.h\"\n#include \"ugni_emu/rma/rma_port.h\"\n";
  EXPECT_THAT(check_doors(make_source("netmod/device/a.cc", code)), IsEmpty());
  EXPECT_THAT(check_doors(make_source("armci/core/a.cc", code)), IsEmpty());
  const std::string inside = "#include \"ugni_emu/nic/nic.h\"\n";
  EXPECT_THAT(check_doors(make_source("ugni_emu/gni/a.cc", inside)), IsEmpty());
  EXPECT_THAT(check_doors(make_source("launch/a.cc", inside)), IsEmpty());
}

TEST(Calls, FindsClocksSleepsEnvironmentRandomnessAndThreads) {
  EXPECT_THAT(calls_in("auto t = std::chrono::steady_clock::now();"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("void f() {\n  clock_gettime(0, p);\n}"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("x = time(nullptr);"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("x = clock();"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("{ ::usleep(10); }"), ElementsAre("sleep"));
  EXPECT_THAT(calls_in("{ sleep(10); }"), ElementsAre("sleep"));
  EXPECT_THAT(calls_in("std::this_thread::sleep_for(x);"), ElementsAre("sleep"));
  EXPECT_THAT(calls_in("if (getenv(\"A\")) {}"), ElementsAre("environment"));
  EXPECT_THAT(calls_in("return std::getenv(\"A\");"), ElementsAre("environment"));
  EXPECT_THAT(calls_in("int i = rand () % 3;"), ElementsAre("random"));
  EXPECT_THAT(calls_in("int i = ::random() % 3;"), ElementsAre("random"));
  EXPECT_THAT(calls_in("std::random_device device;"), ElementsAre("random"));
  EXPECT_THAT(calls_in("std::thread t(f);"), ElementsAre("threads"));
  EXPECT_THAT(calls_in("a(1, pthread_create(&t, 0, f, 0));"), ElementsAre("threads"));
  EXPECT_THAT(calls_in("if (p) __builtin_prefetch(p);"), ElementsAre("prefetch"));
  EXPECT_THAT(calls_in("auto f = testing::TempDir() + \"x\";"), ElementsAre("test_files"));
}

TEST(Calls, FindsTheSystemsLocksAndItsOtherClocks) {
  EXPECT_THAT(calls_in("std::mutex mutex;"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("const std::lock_guard lock(held);"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("std::condition_variable_any woken;"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("if (x) pthread_mutex_lock(&m);"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("word.notify_all();"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("syscall(SYS_futex, word);"), ElementsAre("locks"));
  EXPECT_THAT(calls_in("auto t = __rdtsc();"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("{ timespec_get(&t, TIME_UTC); }"), ElementsAre("clock"));
  EXPECT_THAT(calls_in("int fd = timerfd_create(0, 0);"), ElementsAre("clock"));
}

std::vector<std::string> seams_in(const std::string& path, const std::string& code) {
  return rules_of(check_seams(make_source(path, code)));
}

TEST(Seams, FindsAClocksNamesAboveThem) {
  EXPECT_THAT(seams_in("netmod/device/x.cc", "#include \"corespec/live/live_node.h\"\n"),
              ElementsAre("seams"));
  EXPECT_THAT(seams_in("armci/core/x.cc", "#include <corespec/host/futex.h>\n"),
              ElementsAre("seams"));
  EXPECT_THAT(seams_in("armci/core/x.cc", "if (dynamic_cast<VirtualDomain*>(&d)) {}"),
              ElementsAre("seams"));
  EXPECT_THAT(seams_in("ugni_emu/nic/x.h", "bool fast = job.is_live();"), ElementsAre("seams"));
  EXPECT_THAT(seams_in("ugni_emu/gni/x.h", "if (clock == Clock::virtual_time) {}"),
              ElementsAre("seams"));
}

TEST(Seams, LetsTheirOwnersNameTheirClock) {
  EXPECT_THAT(seams_in("corespec/live/x.cc", "LiveDomain domain;"), IsEmpty());
  EXPECT_THAT(seams_in("ugni_emu/fabric/x.cc", "corespec::LiveDomain& domain;"), IsEmpty());
  EXPECT_THAT(seams_in("launch/x.cc", "VirtualMachine machine;"), IsEmpty());
  EXPECT_THAT(seams_in("netmod/mpi/x.cc", "// VirtualNode\nint Lives, delivery, is_alive;"),
              IsEmpty());
}

std::vector<std::string> switches_in(const std::string& code) {
  return rules_of(check_switches(make_source("netmod/x.cc", code)));
}

TEST(Switches, FindADefaultThatHidesMissingCases) {
  EXPECT_THAT(switches_in("switch (kind) {\n  case Kind::a:\n    return 1;\n  default:\n    return "
                          "2;\n}"),
              ElementsAre("switch"));
  EXPECT_THAT(switches_in("switch (kind) { case a::Kind::b: f(); break; default: { break; } }"),
              ElementsAre("switch"));
}

TEST(Switches, PassWholeOnesNumbersAndWhatIsNeverReached) {
  EXPECT_THAT(switches_in("switch (kind) { case Kind::a: return 1; case Kind::b: return 2; }"),
              IsEmpty());
  EXPECT_THAT(switches_in("switch (n) { case 1: return 1; case GNI_B: f(); default: return 2; }"),
              IsEmpty());
  EXPECT_THAT(
      switches_in("switch (kind) { case Kind::a: return 1; default: CASTOR_NEVER(\"x\"); }"),
      IsEmpty());
  EXPECT_THAT(switches_in("switch (n) { case 1: switch (k) { case K::a: f(); } default: g(); }"),
              IsEmpty());
}

std::vector<std::string> order_in(const std::string& path, const std::string& code) {
  return rules_of(check_order(make_source(path, code)));
}

TEST(Order, FindsContainersWhoseOrderDiffersFromRunToRun) {
  EXPECT_THAT(
      order_in("netmod/x.cc", "std::unordered_map<int, int> all;\nfor (auto& a : all) f(a);"),
      ElementsAre("unordered"));
  EXPECT_THAT(order_in("ugni_emu/nic/x.h", "std::map<const Post*, int> posts_;"),
              ElementsAre("unordered"));
  EXPECT_THAT(order_in("corespec/virtual/x.h", "std::set<Thread *> threads_;"),
              ElementsAre("unordered"));
}

TEST(Order, PassesThoseThatKeepAnOrderAndWhatIsLive) {
  EXPECT_THAT(order_in("netmod/x.cc", "std::map<int, Post*> posts; std::set<std::string> names;"),
              IsEmpty());
  EXPECT_THAT(order_in("ugni_emu/fabric/x.cc", "std::unordered_map<int, int> all;"), IsEmpty());
}

TEST(Calls, PassesMembersDeclarationsCommentsAndStrings) {
  EXPECT_THAT(calls_in("thread.sleep(1); thread->time(0); domain.clock(); sleep();"), IsEmpty());
  EXPECT_THAT(calls_in("Time clock();\nint random(int seed);"), IsEmpty());
  EXPECT_THAT(calls_in("Stream::random(3); std::mt19937 random(7); i = random(); "
                       "std::this_thread_id(); std::thread_x y;"),
              IsEmpty());
  EXPECT_THAT(calls_in("// getenv(\"A\")\n/* rand() */ f(\" time(0) \");"), IsEmpty());
  EXPECT_THAT(calls_in("f(R\"(rand())\"); g('\\'', \" \\\" usleep(1)\");"), IsEmpty());
}

std::vector<std::string> names_in(const std::string& code) {
  return rules_of(check_names(make_source("ugni_emu/x.cc", code)));
}

TEST(Names, FindsCallsThatBearTheNameOfAHelper) {
  EXPECT_THAT(names_in("gni_return_t send(int ep) {\n  gni::Caller caller;\n}\n"),
              ElementsAre("names"));
  EXPECT_THAT(names_in("void* with_heap(const Body& body) {\n  dmapp::call([&] {});\n}\n"),
              ElementsAre("names"));
  EXPECT_THAT(names_in("gni_return_t GNI_A(int ep,\n                   int b) {\n  gni::Caller "
                       "caller;\n}\nint send(int ep) {\n  if (ep) {\n    gni::Caller caller;\n"
                       "  }\n}\n"),
              ElementsAre("names"));
}

std::vector<std::string> headers_found(const std::vector<std::string>& paths) {
  std::vector<SourceFile> tree;
  for (const std::string& path : paths) tree.push_back(make_source(path, "// x\n"));
  std::vector<std::string> found;
  for (const Finding& finding : check_header_names(tree)) {
    found.push_back(finding.path + " " + finding.what);
  }
  return found;
}

TEST(Names, FindsTwoHeadersOfTheLayersWithOneName) {
  EXPECT_THAT(
      headers_found({"armci/api/call.h", "corespec/events/event.h", "ugni_emu/dmapp/call.h"}),
      ElementsAre("ugni_emu/dmapp/call.h has the name of armci/api/call.h"));
}

TEST(Names, PassesPublicHeadersSourcesAndOtherFolders) {
  EXPECT_THAT(headers_found({"armci/api/message.cc", "armci/include/message.h",
                             "benchmarks/common/message.h", "netmod/mpi/message.cc",
                             "tests/nic/message.h", "ugni_emu/fabric/message.h"}),
              IsEmpty());
}

TEST(Names, PassesPublicFunctionsAndNamesThatAreGiven) {
  EXPECT_THAT(names_in("gni_return_t GNI_A(int ep) try {\n  gni::Caller caller;\n}\n"
                       "dmapp_return_t dmapp_b(void) {\n  return dmapp::call([] {});\n}\n"
                       "int send(int ep, const char* function) {\n  gni::Caller "
                       "caller(function);\n  dmapp::call_of(function, [] {});\n}\n"),
              IsEmpty());
}

TEST(Globals, FindsVariablesOfNamespaceScope) {
  EXPECT_THAT(globals_in("int counter;"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("namespace a {\nstatic std::map<int, const char*> cache;\n}"),
              ElementsAre("globals"));
  EXPECT_THAT(globals_in("const char* name = \"x\";"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("std::vector<const int*> list{1, 2};"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("struct A { int b; } a;"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("extern \"C\" {\nint c;\n}"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("namespace { std::atomic<int> n = 0; }"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("inline int counts[3] = {1, 2, 3};"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("struct A* head;"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("enum class E;\nenum class F : int;"), IsEmpty());
}

TEST(Globals, FindsStaticVariablesOfFunctionsAndClasses) {
  EXPECT_THAT(globals_in("int f() {\n  static int calls = 0;\n  return ++calls;\n}"),
              ElementsAre("globals"));
  EXPECT_THAT(globals_in("void f() { static std::string s(\"a\"); }"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("class A {\n inline static int n = 0;\n};"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("void f() { if (x) { static Cache cache; } }"), ElementsAre("globals"));
  EXPECT_THAT(globals_in("auto g() { return [](int x) { static int n; return n + x; }; }"),
              ElementsAre("globals"));
}

TEST(Globals, FindsThreadLocalVariables) {
  EXPECT_THAT(globals_in("thread_local Thread* current = nullptr;"), ElementsAre("thread_local"));
  EXPECT_THAT(globals_in("void f() { thread_local int n; }"), ElementsAre("thread_local"));
}

TEST(Globals, ReadsDeclarationsOverSeveralLines) {
  EXPECT_THAT(globals_in("class A final : public B,\n                private C {\n  int d;\n};"),
              IsEmpty());
  EXPECT_THAT(globals_in("static\nint\nx;"), ElementsAre("globals"));
}

TEST(Globals, PassesConstantsTypesAndFunctions) {
  EXPECT_THAT(globals_in("constexpr int a = 1;\nconst std::string b = \"x\";\n"
                         "static const char* const names[] = {\"a\", \"b\"};\n"
                         "inline constexpr double c{1.0};"),
              IsEmpty());
  EXPECT_THAT(globals_in("class A;\nstruct B { int b; static constexpr int c = 1; static int d(); "
                         "private: int e = 2; };\nenum class E : int { x, y };\nusing F = int;"),
              IsEmpty());
  EXPECT_THAT(globals_in("int f(int a = 1);\nint f(int a) { int local = a; return local; }\n"
                         "static int g();\nA::A() : b_{1}, c_(2) { int x; }\nextern int errno_;"),
              IsEmpty());
  EXPECT_THAT(globals_in("template <class T> struct V { T v; };\ntypedef struct { int a; } C;\n"
                         "namespace a::b { void f() { for (int i = 0; i < 3; ++i) g(); } }\n"
                         "MACRO_PROGRAM;\nenum { warm = 2, max = 3 };"),
              IsEmpty());
  EXPECT_THAT(globals_in("#define X \\\n  int hidden;\n// int a;\n/* int b; */"), IsEmpty());
  EXPECT_THAT(globals_in("void f() { static const std::regex r(\"x\"); sort(a, [](int x) { int y; "
                         "return x + y; }); }"),
              IsEmpty());
}

TEST(Opening, FindsFilesThatDoNotSayWhatTheyAre) {
  EXPECT_THAT(rules_of(check_opening(make_source("a.cc", "#include <x>\n"))),
              ElementsAre("opening"));
  EXPECT_THAT(rules_of(check_opening(make_source("a.h", "// What.\nint f();\n"))),
              ElementsAre("guard"));
  EXPECT_THAT(rules_of(check_opening(make_source("b.sh", "#!/bin/sh\nset -e\n"))),
              ElementsAre("opening"));
  EXPECT_THAT(rules_of(check_opening(make_source("x/CMakeLists.txt", "add_library(x)\n"))),
              ElementsAre("opening"));
}

TEST(Opening, PassesFilesThatDo) {
  EXPECT_THAT(check_opening(make_source("a.h", "// What.\n#pragma once\n")), IsEmpty());
  EXPECT_THAT(check_opening(make_source("a.h", "/* What. */\n#ifndef A_H\n#define A_H\n#endif\n")),
              IsEmpty());
  EXPECT_THAT(check_opening(make_source("a.c", "/* What. */\nint f();\n")), IsEmpty());
  EXPECT_THAT(check_opening(make_source("b.sh", "#!/bin/sh\n# What.\n")), IsEmpty());
}

// In halves, so that nobody who searches the sources for such things finds these.
TEST(Text, FindsLongFilesOpenEndsAndMachinePaths) {
  std::string lines = "// What.\n";
  for (int i = 0; i < 600; ++i) lines += "\n";
  EXPECT_THAT(rules_of(check_text(make_source("a.cc", lines))), ElementsAre("length"));
  EXPECT_THAT(rules_of(check_text(make_source("a.cc",
                                              "// TO"
                                              "DO: x\n"))),
              ElementsAre("open_ends"));
  EXPECT_THAT(rules_of(check_text(make_source("a.md",
                                              "see /ho"
                                              "me/me/x\n"))),
              ElementsAre("machine"));
  EXPECT_THAT(rules_of(check_text(make_source("a.md",
                                              "\"/wo"
                                              "rk/x\""))),
              ElementsAre("machine"));
}

TEST(Text, FindsTheMarksOfAMerge) {
  EXPECT_THAT(rules_of(check_text(make_source("a.md", "# What\n<<<<<<< HEAD\nx\n"))),
              ElementsAre("conflict"));
  EXPECT_THAT(rules_of(check_text(make_source("a.md", "# What\nx\n>>>>>>> other\n"))),
              ElementsAre("conflict"));
  EXPECT_THAT(check_text(make_source("a.md", "# What\nx <<<<<<< y\n=======\n")), IsEmpty());
}

TEST(Text, PassesOrdinaryPaths) {
  EXPECT_THAT(check_text(make_source("a.md",
                                     "build/wo"
                                     "rk/x, ../ho"
                                     "me/y, rooted /usr/lib\n")),
              IsEmpty());
}

TEST(Exceptions, HoldOnlyForTheirRuleAndFile) {
  const auto is_excepted = [](const char* rule, const char* path) {
    return exception_for({rule, path, 1, ""}) < exceptions().size();
  };
  EXPECT_TRUE(is_excepted("environment", "corespec/config/parameters.cc"));
  EXPECT_FALSE(is_excepted("environment", "corespec/config/parameters.h"));
  EXPECT_FALSE(is_excepted("environment", "netmod/mpi/init.cc"));
  EXPECT_FALSE(is_excepted("clock", "corespec/config/parameters.cc"));
}

TEST(Exceptions, AreFoldersForProgramsOnly) {
  for (const Exception& each : exceptions()) {
    const std::string path = each.path;
    if (path.back() == '/') {
      EXPECT_THAT(path,
                  ::testing::MatchesRegex("(tests/.*/programs|benchmarks/(micro|fidelity))/"));
    }
  }
}

TEST(Exceptions, EveryOneHasAReason) {
  for (const Exception& each : exceptions()) EXPECT_STRNE(each.reason, "") << each.path;
}

}  // namespace
}  // namespace tidy
