// Random options, variables, lists of nodes and topology files: each is followed, or refused with
// one line. So many of each as CASTOR_FUZZED_INPUTS says (200); by hand 3,000, under the sanitizers
// too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/topology/placement.h"
#include "launch/description/options.h"
#include "launch/virtual_run/virtual_run.h"
#include "tests/support/test_folder.h"

namespace {

/// Not so many that building the machine is what the test does.
constexpr int most_ranks = 256;

int inputs() {
  const char* const wanted = std::getenv("CASTOR_FUZZED_INPUTS");
  return wanted == nullptr ? 200 : std::atoi(wanted);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t many) { return below(many) == 0; }
  /// No argument, variable or path can hold a zero.
  char letter() { return static_cast<char>(1 + below(255)); }
  template <typename List>
  const auto& one_of(const List& list) {
    return *std::next(std::begin(list), static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  /// `text` with a few of its parts changed.
  std::string damaged(std::string text) {
    static const std::vector<std::string> pieces = {"-1",
                                                    "0",
                                                    "1",
                                                    "00",
                                                    "99999999999999999999",
                                                    "2147483648",
                                                    "1e308",
                                                    "nan",
                                                    "inf",
                                                    "%s",
                                                    ",",
                                                    "-",
                                                    ":",
                                                    "x",
                                                    "\xff\xfe",
                                                    "\n",
                                                    "\x1b[2J",
                                                    "",
                                                    " ",
                                                    "=",
                                                    "ns",
                                                    "K",
                                                    "GB/s",
                                                    "0x10",
                                                    "4294967296",
                                                    "18446744073709551615"};
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.insert(at, one_of(pieces));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          if (at < text.size()) text[at] = letter();
          break;
        default:
          text.insert(at, text.substr(below(text.size() + 1), below(32)));
          break;
      }
    }
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

/// Whether `body()` has followed its input; what it says otherwise is for the user.
bool followed(const std::string& input, const std::function<void()>& body) {
  std::string line;
  try {
    body();
    return true;
  } catch (const launch::UsageError& error) {
    line = error.what();
  } catch (const std::invalid_argument& error) {
    line = error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << input << ": not said to be the user's: " << error.what();
  }
  EXPECT_GT(line.size(), 10U) << input << ": says nothing";
  return false;
}

std::string shown(const std::vector<std::string>& arguments) {
  return testing::PrintToString(arguments);
}

/// The machine of a command line, with nothing running on it.
void build(const launch::AprunOptions& options) {
  launch::JobRequest request;
  request.settings = options.settings;
  request.system = options.system;
  request.node = options.node;
  request.ranks = std::min(options.ranks, most_ranks);
  request.placement.depth = options.depth;
  request.placement.service_cpus = options.service_cpus;
  request.placement.cpus_per_compute_unit = options.cpus_per_compute_unit;
  request.placement.ranks_per_numa_node = options.ranks_per_numa_node.value_or(0);
  request.placement.binding = launch::with_depth(options.binding, options.depth);
  request.placement.cpu_lists = options.cpu_lists;
  request.placement.ranks_per_node = std::min(options.ranks_per_node.value_or(1), request.ranks);
  request.nids = options.nodes;
  const launch::VirtualRun run(request);
  EXPECT_GE(run.nodes(), 1U);
}

TEST(Inputs, CommandLines) {
  using Words = std::vector<std::string>;
  static const std::vector<std::pair<std::string, Words>> options = {
      {"-n", {"1", "4", "64", "100000"}},
      {"-N", {"1", "8", "32"}},
      {"-d", {"1", "2", "32"}},
      {"-S", {"1", "4"}},
      {"-r", {"0", "1", "31"}},
      {"-j", {"0", "1", "2"}},
      {"-cc", {"cpu", "depth", "none", "numa_node", "0,2,4-7", "0,1:2,3", "31-0"}},
      {"-L", {"0", "0-63", "5,7,9-11", "9999999", "0-9999999", "3,3"}},
      {"-e", {"CASTOR_SEED=3", "A=b", "=", "A"}},
      {"--system",
       {"hopper", "cielo", "2x2x2", "128x128x128", "1x1x1", "edison", "dragonfly:3x2x4x4",
        "dragonfly:3x2", "dragonfly:500x6x16x4"}},
      {"--node",
       {"xe6", "xk6", "hopper", "edison", "numa:2 core:4 pu:1", "package:2 numa:2 core:8 pu:2",
        "/dev/null", "/", "numa:1024 core:1024 pu:1024"}},
      {"--clock", {"virtual", "live"}},
      {"--limit", {"1s", "90", "2h", "0"}},
      {"-t", {"1", "30d"}},
      {"--seed", {"1", "18446744073709551615"}},
      {"--compute", {"modelled", "measured"}},
      {"--compute-factor", {"1", "0.5", "1e300"}},
      {"-env", {"A", "CASTOR_SEED", "A=b", ""}},
      {"-x", {"A", "A=b", "="}},
      {"-ppn", {"1", "0"}},
      {"-m", {"2g"}}};
  int good = 0;
  for (int seed = 0; seed < inputs(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const char* const called = seed % 4 == 0 ? "mpiexec" : "aprun";
    std::vector<std::string> arguments;
    for (std::size_t count = random.below(4); count > 0; --count) {
      const auto& [name, values] = random.one_of(options);
      std::string value = random.one_of(values);
      if (random.one_in(3)) value = random.damaged(value);
      arguments.push_back(random.one_in(20) ? random.damaged(name) : name);
      if (random.one_in(4)) {
        arguments.back() += (arguments.back().rfind("--", 0) == 0 ? "=" : "") + value;
      } else {
        arguments.push_back(value);
      }
    }
    arguments.emplace_back("/bin/true");
    good += followed(shown(arguments), [&] {
      const launch::AprunOptions read = launch::parse_options(called, arguments);
      if (read.action == launch::AprunOptions::Action::run) build(read);
    });
  }
  EXPECT_GT(good, inputs() / 10);
  EXPECT_LT(good, inputs());
}

TEST(Inputs, Variables) {
  const std::vector<corespec::ParameterInfo> table = corespec::describe({});
  int good = 0;
  for (int seed = 0; seed < inputs(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const corespec::ParameterInfo& row = random.one_of(table);
    const std::string value = random.one_in(3) ? row.fallback : random.damaged(row.fallback);
    const std::string input = row.env + "=" + value;
    std::vector<std::string> errors;
    corespec::read_parameters({{row.env, value}}, errors);
    if (errors.empty()) {
      launch::JobRequest request;
      request.settings = {{row.env, value}};
      request.system = "2x2x2";
      good += followed(input, [&] { launch::VirtualRun run(request); });
    } else {
      ASSERT_EQ(errors.size(), 1U) << input;
      EXPECT_THAT(errors[0], testing::HasSubstr(row.env)) << input;
    }
  }
  EXPECT_GT(good, inputs() / 4);
  EXPECT_LT(good, inputs());
}

/// A topology as hwloc writes it.
std::string topology_file(const std::string& synthetic) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, synthetic.c_str());
  hwloc_topology_load(topology);
  char* text = nullptr;
  int length = 0;
  hwloc_topology_export_xmlbuffer(topology, &text, &length, 0);
  std::string made(text, static_cast<std::size_t>(length) - 1);
  hwloc_free_xmlbuffer(topology, text);
  hwloc_topology_destroy(topology);
  return made;
}

TEST(Inputs, TopologyFiles) {
  const std::vector<std::string> whole = {topology_file("package:2 numa:2 core:4 pu:2"),
                                          topology_file("numa:1 core:2 pu:1"),
                                          topology_file("package:1 numa:2 core:8 pu:1")};
  const castor_test::TestFolder folder;
  const std::string path = folder / "topology.xml";
  int good = 0;
  for (int seed = 0; seed < inputs(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    std::string text = random.one_of(whole);
    if (random.one_in(4)) {
      text.resize(random.below(text.size()));
    } else if (random.one_in(3)) {  // a line less, so that one kind of thing is not there
      const std::size_t begin = text.find('\n', random.below(text.size() / 2)) + 1;
      text.erase(begin, text.find('\n', begin) + 1 - begin);
    } else {
      text = random.damaged(text);
    }
    std::ofstream(path, std::ios::binary) << text;
    good += followed("seed " + std::to_string(seed), [&] {
      const auto topology = corespec::NodeTopology::load(path);
      ASSERT_GE(topology->size(), 1) << "seed " << seed;
      for (const auto& cpu : topology->cpus) {
        ASSERT_GE(cpu.compute_unit, 0);
        ASSERT_LT(cpu.compute_unit, topology->size());
        ASSERT_GE(cpu.numa_node, 0);
        ASSERT_LT(cpu.numa_node, topology->size());
      }
      corespec::PlacementRequest request;
      request.service_cpus = static_cast<int>(random.below(3));
      corespec::Placement::make(topology, request);
    });
  }
  EXPECT_GT(good, inputs() / 20);
  EXPECT_LT(good, inputs());
}

}  // namespace
