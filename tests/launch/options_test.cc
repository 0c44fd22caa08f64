// aprun's command line: every option, and one line for each mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "launch/description/option_table.h"
#include "launch/description/options.h"
#include "tests/support/parameter_name.h"

namespace {

using launch::AprunOptions;
using launch::CpuBinding;
using launch::UsageError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

AprunOptions parse_options(const std::vector<std::string>& arguments) {
  return launch::parse_options("aprun", arguments);
}

AprunOptions parse_mpiexec(const std::vector<std::string>& arguments) {
  return launch::parse_options("/some/where/mpiexec", arguments);
}

std::string complaint(const std::vector<std::string>& arguments,
                      const std::string& called = "aprun") {
  try {
    launch::parse_options(called, arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Options, Defaults) {
  const AprunOptions options = parse_options({"a.out"});
  EXPECT_EQ(options.action, AprunOptions::Action::run);
  EXPECT_EQ(options.ranks, 1);
  EXPECT_FALSE(options.ranks_per_node);
  EXPECT_EQ(options.depth, 1);
  EXPECT_EQ(options.service_cpus, 0);
  EXPECT_EQ(options.binding, CpuBinding::cpu);
  EXPECT_EQ(options.system, "hopper");
  EXPECT_EQ(options.node, "xe6");
  EXPECT_EQ(options.clock, AprunOptions::Clock::unset);
  EXPECT_FALSE(options.label);
  EXPECT_TRUE(options.settings.empty());
  EXPECT_EQ(options.program, "a.out");
  EXPECT_TRUE(options.arguments.empty());
}

TEST(Options, ADeviceTakesSeveralOutputs) {
  EXPECT_EQ(parse_options({"--profile", "/dev/null", "--report", "/dev/null", "p"}).program, "p");
}

TEST(Options, LimitsAreTimes) {
  EXPECT_EQ(parse_options({"-t", "90", "p"}).time_limit_s, 90);
  EXPECT_EQ(parse_options({"-t1.5m", "p"}).time_limit_s, 90);
  EXPECT_EQ(parse_options({"--limit", "250ms", "p"}).limit_s, 0.25);
  EXPECT_EQ(parse_options({"--limit=2h", "p"}).limit_s, 7200);
  EXPECT_EQ(parse_options({"p"}).limit_s, 0);
}

TEST(Options, AllThatSetAnything) {
  const AprunOptions options = parse_options({"-n",
                                              "64",
                                              "-N8",
                                              "-d",
                                              "2",
                                              "-S",
                                              "4",
                                              "-r",
                                              "1",
                                              "-j",
                                              "1",
                                              "-cc",
                                              "0,4-6",
                                              "-L",
                                              "7,0-2",
                                              "-e",
                                              "A=1",
                                              "-e",
                                              "B==x y",
                                              "-F",
                                              "exclusive",
                                              "-b",
                                              "-q",
                                              "--system",
                                              "4x2x8",
                                              "--node",
                                              "hopper",
                                              "--seed=9",
                                              "--compute",
                                              "measured",
                                              "--compute-factor",
                                              "1.5",
                                              "--clock",
                                              "virtual",
                                              "-v",
                                              "-l",
                                              "prog",
                                              "-n",
                                              "3",
                                              "--help"});
  EXPECT_EQ(options.ranks, 64);
  EXPECT_EQ(options.clock, AprunOptions::Clock::virtual_time);
  EXPECT_EQ(options.ranks_per_node, 8);
  EXPECT_EQ(options.depth, 2);
  EXPECT_EQ(options.ranks_per_numa_node, 4);
  EXPECT_EQ(options.service_cpus, 1);
  EXPECT_EQ(options.cpus_per_compute_unit, 1);
  EXPECT_EQ(options.binding, CpuBinding::list);
  EXPECT_THAT(options.cpu_lists,
              ElementsAre(ElementsAre(0), ElementsAre(4), ElementsAre(5), ElementsAre(6)));
  EXPECT_THAT(options.nodes, ElementsAre(7, 0, 1, 2));
  EXPECT_THAT(options.environment, ElementsAre(Pair("A", "1"), Pair("B", "=x y")));
  EXPECT_EQ(options.system, "4x2x8");
  EXPECT_EQ(options.node, "hopper");
  EXPECT_TRUE(options.quiet);
  EXPECT_TRUE(options.label);
  EXPECT_THAT(
      options.settings,
      ElementsAre(Pair("CASTOR_SEED", "9"), Pair("CASTOR_COMPUTE", "measured"),
                  Pair("CASTOR_COMPUTE_FACTOR", "150"), Pair("MPICH_CPUMASK_DISPLAY", "1")));
  EXPECT_EQ(options.program, "prog");
  EXPECT_THAT(options.arguments, ElementsAre("-n", "3", "--help"));
}

TEST(Options, TheLastOneWins) { EXPECT_EQ(parse_options({"-n", "2", "-n", "3", "p"}).ranks, 3); }

TEST(Options, Clocks) {
  using Clock = AprunOptions::Clock;
  EXPECT_EQ(parse_options({"--clock", "live", "p"}).clock, Clock::live);
  EXPECT_EQ(parse_options({"--clock", "live", "--clock=virtual", "p"}).clock, Clock::virtual_time);
}

TEST(Options, DashesEndThem) {
  const AprunOptions options = parse_options({"-n", "2", "--", "-odd", "--", "-n"});
  EXPECT_EQ(options.program, "-odd");
  EXPECT_THAT(options.arguments, ElementsAre("--", "-n"));
}

TEST(Options, BindingNames) {
  EXPECT_EQ(parse_options({"-cc", "cpu", "p"}).binding, CpuBinding::cpu);
  EXPECT_EQ(parse_options({"-cc", "depth", "p"}).binding, CpuBinding::depth);
  EXPECT_EQ(parse_options({"-cc", "numa_node", "p"}).binding, CpuBinding::numa_node);
  EXPECT_EQ(parse_options({"-cc", "none", "p"}).binding, CpuBinding::none);
}

TEST(Options, CpuListsOfRanks) {
  const AprunOptions options = parse_options({"-cc", "0,1:2-3,8:0", "p"});
  EXPECT_EQ(options.binding, CpuBinding::list);
  EXPECT_THAT(options.cpu_lists,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 8), ElementsAre(0)));
}

TEST(Options, ActionsNeedNoProgram) {
  EXPECT_EQ(parse_options({"--help"}).action, AprunOptions::Action::help);
  EXPECT_EQ(parse_options({"-h"}).action, AprunOptions::Action::help);
  EXPECT_EQ(parse_options({"--version"}).action, AprunOptions::Action::version);
  EXPECT_EQ(parse_options({"--env-help"}).action, AprunOptions::Action::environment_help);
  for (const char* option : {"-n ", "-cc", "--system", "--env-help", "PROGRAM"}) {
    EXPECT_THAT(launch::options_help("aprun"), HasSubstr(option));
  }
  const AprunOptions words = parse_options({"--env-help", "eager", "size"});
  EXPECT_EQ(words.program, "eager");
  EXPECT_THAT(words.arguments, ElementsAre("size"));
}

// ---- mpiexec, mpirun

TEST(Mpiexec, IsToldByItsName) {
  EXPECT_EQ(launch::launcher_called("mpiexec"), launch::Launcher::mpiexec);
  EXPECT_EQ(launch::launcher_called("mpirun"), launch::Launcher::mpiexec);
  EXPECT_EQ(launch::launcher_called("aprun"), launch::Launcher::aprun);
  EXPECT_EQ(launch::parse_options("bin/mpirun", {"p"}).called, "mpirun");
  EXPECT_EQ(launch::parse_options("/bin/castor", {"p"}).called, "aprun");
}

TEST(Mpiexec, AllThatSetAnything) {
  const AprunOptions options = parse_mpiexec({"-np",
                                              "4",
                                              "-ppn",
                                              "2",
                                              "-env",
                                              "A",
                                              "x=y",
                                              "-genv",
                                              "B",
                                              "",
                                              "-x",
                                              "C=3",
                                              "-x",
                                              "PATH",
                                              "-wdir",
                                              "/tmp",
                                              "-prepend-rank",
                                              "--oversubscribe",
                                              "--allow-run-as-root",
                                              "-r",
                                              "1",
                                              "--clock=live",
                                              "--seed",
                                              "2",
                                              "-q",
                                              "prog",
                                              "-np",
                                              "3"});
  EXPECT_EQ(options.ranks, 4);
  EXPECT_EQ(options.ranks_per_node, 2);
  EXPECT_THAT(options.environment, ElementsAre(Pair("A", "x=y"), Pair("B", ""), Pair("C", "3")));
  EXPECT_EQ(options.directory, "/tmp");
  EXPECT_TRUE(options.label);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.service_cpus, 1);
  EXPECT_EQ(options.clock, AprunOptions::Clock::live);
  EXPECT_THAT(options.settings, ElementsAre(Pair("CASTOR_SEED", "2")));
  EXPECT_EQ(options.program, "prog");
  EXPECT_THAT(options.arguments, ElementsAre("-np", "3"));
}

TEST(Mpiexec, LongOptionsHaveOneDashOrTwo) {
  for (const char* option : {"-n", "-np", "--np"}) {
    EXPECT_EQ(parse_mpiexec({option, "3", "p"}).ranks, 3) << option;
  }
  for (const char* option : {"-N", "-ppn", "--ppn", "-npernode", "--npernode"}) {
    EXPECT_EQ(parse_mpiexec({option, "3", "p"}).ranks_per_node, 3) << option;
  }
  EXPECT_EQ(parse_mpiexec({"-clock", "live", "p"}).clock, AprunOptions::Clock::live);
  EXPECT_EQ(parse_mpiexec({"-np=3", "p"}).ranks, 3);
  EXPECT_EQ(parse_mpiexec({"-version"}).action, AprunOptions::Action::version);
  EXPECT_EQ(parse_mpiexec({"--env-help"}).action, AprunOptions::Action::environment_help);
  EXPECT_EQ(parse_mpiexec({"-oversubscribe", "p"}).program, "p");
}

TEST(Mpiexec, MistakesAreNamedInOneLine) {
  const auto line = [](const std::vector<std::string>& arguments) {
    return complaint(arguments, "mpiexec");
  };
  EXPECT_EQ(line({}), "no program; mpiexec [options] PROGRAM [arguments], see mpiexec --help");
  EXPECT_THAT(line({"-np", "0", "p"}), HasSubstr("-np '0': must be a whole number"));
  EXPECT_EQ(line({"-np"}), "-np: needs a value");
  EXPECT_EQ(line({"-env", "A"}), "-env: needs NAME VALUE");
  EXPECT_THAT(line({"-env", "A=1", "p"}), HasSubstr("-env 'A=1': must be a variable's name"));
  EXPECT_EQ(line({"-x", "=1", "p"}), "-x '=1': must be NAME=VALUE or NAME");
  EXPECT_THAT(line({"-hostfile", "x", "p"}), HasSubstr("-hostfile: a job's nodes are modelled"));
  EXPECT_THAT(line({"--hosts=a,b", "p"}), HasSubstr("-hosts: a job's nodes are modelled"));
  EXPECT_THAT(line({"--mca", "btl", "self", "p"}), HasSubstr("-mca: Open MPI's parameters"));
  EXPECT_THAT(line({"--map-by", "ppr:1:node", "p"}), HasSubstr("-map-by: use -ppn"));
  EXPECT_THAT(line({"-foo", "p"}), HasSubstr("-foo: unknown option; there are -n, -np, -ppn"));
  EXPECT_THAT(line({"-n4", "p"}), HasSubstr("-n4: unknown option"));
  EXPECT_THAT(line({"-n", "1", "p", ":", "-n", "1", "q"}), HasSubstr("several programs"));
}

// ---- The tables

TEST(OptionTable, EachNameIsThereOnceAndInTheHelp) {
  for (const auto& [launcher, called] :
       {std::pair(launch::Launcher::aprun, "aprun"), {launch::Launcher::mpiexec, "mpiexec"}}) {
    std::set<std::string> names;
    const std::string help = launch::options_help(called);
    EXPECT_THAT(help, HasSubstr(std::string("Usage: ") + called + " "));
    for (const launch::Option& option : launch::options_of(launcher)) {
      EXPECT_THAT(help, HasSubstr("\n  " + std::string(option.names)));
      for (const std::string& name : launch::names_of(option.names)) {
        EXPECT_TRUE(names.insert(name).second) << name;
      }
    }
    for (const launch::RefusedOption& option : launch::refused_options_of(launcher)) {
      for (const std::string& name : launch::names_of(option.names)) {
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_EQ(complaint({name, "p"}, called), name + ": " + std::string(option.reason));
      }
    }
  }
}

TEST(OptionTable, TheWordsThatItOffersAreTaken) {
  for (const char* called : {"aprun", "mpiexec"}) {
    for (const launch::Option& option : launch::options_of(launch::launcher_called(called))) {
      std::string_view words = option.words;
      while (!words.empty()) {
        const std::size_t end = std::min(words.find('|'), words.size());
        const std::string word(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
        for (const std::string& name : launch::names_of(option.names)) {
          EXPECT_EQ(complaint({name, word, "p"}, called), "accepted") << name << " " << word;
        }
      }
    }
  }
}

struct Mistake {
  std::vector<std::string> arguments;
  const char* line;
};
class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedInOneLine) {
  const std::string line = complaint(GetParam().arguments);
  EXPECT_THAT(line, HasSubstr(GetParam().line));
  EXPECT_THAT(line, testing::Not(HasSubstr("\n")));
}

std::string mistake_name(const testing::TestParamInfo<Mistake>& info) {
  std::string text;
  for (const std::string& argument : info.param.arguments) text += argument + " ";
  return castor_test::parameter_name(info.index, text);
}
INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{{}, "no program"}, Mistake{{"-n", "2"}, "no program"},
        Mistake{{"-n", "0", "p"}, "-n '0': must be a whole number from 1 to 1000000"},
        Mistake{{"-n", "-5", "p"}, "-n '-5': must be"}, Mistake{{"-n", "2x", "p"}, "-n '2x'"},
        Mistake{{"-n", "99999999999999999999", "p"}, "-n '99999999999999999999'"},
        Mistake{{"-n"}, "-n: needs a value"}, Mistake{{"--seed"}, "--seed: needs a value"},
        Mistake{{"-n", "", "p"}, "-n"}, Mistake{{"-N", "0", "p"}, "-N '0'"},
        Mistake{{"-d", "x", "p"}, "-d 'x'"}, Mistake{{"-r", "-1", "p"}, "-r '-1'"},
        Mistake{{"-j", "3", "p"}, "-j '3': must be a whole number from 0 to 2"},
        Mistake{{"-S", "0", "p"}, "-S '0'"},
        Mistake{{"-cc", "socket", "p"}, "-cc 'socket': must be"},
        Mistake{{"-cc", "3-1", "p"}, "'3-1' runs backwards"},
        Mistake{{"-cc", "1,,2", "p"}, "'' is not a number"},
        Mistake{{"-cc", "1:", "p"}, "'' is not a number"},
        Mistake{{"-L", "1,a", "p"}, "-L '1,a': 'a' is not a number or range"},
        Mistake{{"-L", "1-3,2", "p"}, "2 is there twice"},
        Mistake{{"-L", "0-9999999", "p"}, "too long"}, Mistake{{"-e", "A", "p"}, "NAME=value"},
        Mistake{{"-e", "=1", "p"}, "-e '=1': must be NAME=value"},
        Mistake{{"-n", "2", "p", ":", "-n", "1", "q"}, "':': a job of several programs"},
        Mistake{{":", "q"}, "':': a job of several programs"},
        Mistake{{"-F", "share", "p"}, "-F 'share'"}, Mistake{{"--seed", "-1", "p"}, "--seed '-1'"},
        Mistake{{"--compute", "fast", "p"}, "--compute 'fast': must be auto"},
        Mistake{{"--compute-factor", "0", "p"}, "--compute-factor '0'"},
        Mistake{{"--compute-factor", "nan", "p"}, "--compute-factor 'nan'"},
        Mistake{{"--clock", "sun", "p"}, "--clock 'sun'"},
        Mistake{{"--verbose=yes", "p"}, "takes no value"},
        Mistake{{"-x", "p"}, "-x: unknown option"}, Mistake{{"--nope", "p"}, "--nope: unknown"},
        Mistake{{"--sytem", "cielo", "p"}, "--sytem: unknown option; is it --system?"},
        Mistake{{"--fidelty=packet", "p"}, "unknown option; is it --fidelity?"},
        Mistake{{"--timelien", "f", "p"}, "--timelien: unknown option; is it --timeline?"},
        Mistake{{"--timeline", "a", "--timeline", "b", "p"},
                "--timeline: given twice, 'a' and 'b'; a run writes one"},
        Mistake{{"--report", "", "p"}, "--report: needs the name of a file"},
        Mistake{{"--profile", "a", "--report", "a", "p"},
                "--profile and --report name one file, 'a'; each needs its own"},
        Mistake{{"--report", "a", "--counters", "./x/../a", "p"},
                "--report and --counters name one file, './x/../a'"},
        Mistake{{"--counters", "a", "--counters", "a", "p"}, "--counters and --counters name one"},
        Mistake{{"--counters-every", "1us", "p"}, "--counters-every: there is no --counters"},
        Mistake{{"-m", "2g", "p"}, "-m: a rank's memory"}, Mistake{{"-m2g", "p"}, "-m: a rank's"},
        Mistake{{"-t", "soon", "p"}, "-t 'soon'"}, Mistake{{"--limit", "-1", "p"}, "--limit '-1'"},
        Mistake{{"--limit", "1parsec", "p"}, "like 90, 90s, 5m or 2h"},
        Mistake{{"--limit", "31000h", "p"}, "30 days"}, Mistake{{"-B", "p"}, "-B:"},
        Mistake{{"-ss", "p"}, "-ss:"}, Mistake{{"-T", "p"}, "-T:"}),
    mistake_name);

}  // namespace
