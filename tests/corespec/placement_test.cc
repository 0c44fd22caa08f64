// Node descriptions and placement: which CPUs run ranks, progress threads, interrupts, noise.
#include "corespec/topology/placement.h"
#include "tests/support/test_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <stdexcept>
#include <string>
#include <vector>

namespace corespec {
namespace {

using Cpus = std::vector<int>;

Cpus range(int first, int last) {
  Cpus cpus;
  for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::string error_of(const char* node, const PlacementRequest& request) {
  try {
    Placement::make(NodeTopology::load(node), request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NodeTopologyTest, PresetsAreTheMeasuredNodes) {
  const auto interlagos = NodeTopology::load("xe6");
  ASSERT_EQ(interlagos->size(), 32);
  // Consecutive CPUs share a module; eight CPUs make a die.
  EXPECT_EQ(interlagos->cpus[0].compute_unit, interlagos->cpus[1].compute_unit);
  EXPECT_NE(interlagos->cpus[1].compute_unit, interlagos->cpus[2].compute_unit);
  EXPECT_EQ(interlagos->cpus[7].numa_node, 0);
  EXPECT_EQ(interlagos->cpus[8].numa_node, 1);
  EXPECT_EQ(interlagos->cpus[31].numa_node, 3);
  EXPECT_EQ(NodeTopology::load("xk6")->size(), 16);
  const auto magny_cours = NodeTopology::load("hopper");
  ASSERT_EQ(magny_cours->size(), 24);
  EXPECT_NE(magny_cours->cpus[0].compute_unit, magny_cours->cpus[1].compute_unit);
  EXPECT_EQ(magny_cours->cpus[23].numa_node, 3);
}

TEST(NodeTopologyTest, AnySyntheticStringWorksAndNonsenseIsNamed) {
  EXPECT_EQ(NodeTopology::load("package:2 core:3 pu:2")->size(), 12);
  for (const char* bad : {"", "nonsense"}) {
    try {
      NodeTopology::load(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("allowed is xe6"), std::string::npos);
    }
  }
}

std::string refusal_of(const std::string& description) {
  try {
    NodeTopology::load(description);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NodeTopologyTest, AFileThatIsNotThereIsSaidToBe) {
  EXPECT_EQ(refusal_of("missing.xml"), "node description 'missing.xml': No such file or directory");
}

/// Three cores, the second without a CPU; three NUMA nodes, the second of memory alone. The
/// system's numbers have gaps, too.
constexpr const char* machine_with_gaps = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" cpuset="0x00000a44" complete_cpuset="0x00000a64"
 nodeset="0x00000094" complete_nodeset="0x00000094" gp_index="1">
 <object type="Package" os_index="3" cpuset="0x00000044" complete_cpuset="0x00000064"
  nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="2">
  <object type="NUMANode" os_index="2" cpuset="0x00000044" complete_cpuset="0x00000064"
   nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="3"/>
  <object type="Core" os_index="4" cpuset="0x00000044" complete_cpuset="0x00000044"
   nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="4">
   <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004"
    nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="5"/>
   <object type="PU" os_index="6" cpuset="0x00000040" complete_cpuset="0x00000040"
    nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="6"/>
  </object>
  <object type="Core" os_index="5" cpuset="0x0" complete_cpuset="0x00000020"
   nodeset="0x00000004" complete_nodeset="0x00000004" gp_index="7"/>
 </object>
 <object type="NUMANode" os_index="4" cpuset="0x0" complete_cpuset="0x0"
  nodeset="0x00000010" complete_nodeset="0x00000010" gp_index="8"/>
 <object type="Package" os_index="7" cpuset="0x00000a00" complete_cpuset="0x00000a00"
  nodeset="0x00000080" complete_nodeset="0x00000080" gp_index="9">
  <object type="NUMANode" os_index="7" cpuset="0x00000a00" complete_cpuset="0x00000a00"
   nodeset="0x00000080" complete_nodeset="0x00000080" gp_index="10"/>
  <object type="Core" os_index="9" cpuset="0x00000a00" complete_cpuset="0x00000a00"
   nodeset="0x00000080" complete_nodeset="0x00000080" gp_index="11">
   <object type="PU" os_index="9" cpuset="0x00000200" complete_cpuset="0x00000200"
    nodeset="0x00000080" complete_nodeset="0x00000080" gp_index="12"/>
   <object type="PU" os_index="11" cpuset="0x00000800" complete_cpuset="0x00000800"
    nodeset="0x00000080" complete_nodeset="0x00000080" gp_index="13"/>
  </object>
 </object>
</object></topology>
)";

/// Hwloc would take 2.5 GB for sets of 4,294,967,296 CPUs.
TEST(NodeTopologyTest, CpusHaveNumbersOfACpu) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "unnumbered.xml";
  const std::string wanted = R"(<object type="PU" os_index="9")";
  for (const std::string number : {"", R"( os_index="4294967295")", R"( os_index="8192")",
                                   R"( os_index="9x")", R"( os_index="-1")"}) {
    std::string text = machine_with_gaps;
    text.replace(text.find(wanted), wanted.size(), R"(<object type="PU")" + number);
    std::ofstream(file) << text;
    const std::string refusal = refusal_of(file);
    EXPECT_NE(refusal.find("line 28: a PU with "), std::string::npos) << number << ": " << refusal;
    EXPECT_NE(refusal.find("it must be 0 to 8191"), std::string::npos) << refusal;
  }
}

TEST(NodeTopologyTest, NumbersHaveNoGapsWhereTheDescriptionsHave) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "gaps.xml";
  std::ofstream(file) << machine_with_gaps;
  const auto topology = NodeTopology::load(file);
  ASSERT_EQ(topology->size(), 4);
  std::vector<int> units;
  std::vector<int> numa;
  std::vector<int> system;
  for (const NodeTopology::Cpu& cpu : topology->cpus) {
    units.push_back(cpu.compute_unit);
    numa.push_back(cpu.numa_node);
    system.push_back(cpu.os_index);
  }
  EXPECT_EQ(units, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(numa, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(system, (std::vector<int>{2, 6, 9, 11}));
  EXPECT_EQ(topology->unit_mates(), (std::vector<std::vector<int>>{{1}, {0}, {3}, {2}}));
  PlacementRequest request;
  request.ranks_per_node = 2;
  request.ranks_per_numa_node = 1;
  request.cpus_per_compute_unit = 1;
  request.service_cpus = 1;
  const Placement placement = Placement::make(topology, request);
  EXPECT_EQ(placement.rank_cpus, (std::vector<std::vector<int>>{{0}, {2}}));
  EXPECT_EQ(placement.service_cpus, (std::vector<int>{3}));
}

TEST(NodeTopologyTest, ANodeHasAtMost1024Cpus) {
  EXPECT_EQ(NodeTopology::load("package:0x20 [numa(memory=9999)] pu:32(indexes=)")->size(), 1024);
  EXPECT_EQ(NodeTopology::load("2 8 64")->size(), 1024);
  for (const char* bad : {"package:1000 pu:1000", "package:2 core:4 pu:129", "2000 2000",
                          "(memory=1GB) package:32 [numa:2] pu:33", "pu:99999999999"}) {
    try {
      NodeTopology::load(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), "node description '" + std::string(bad) +
                                  "': more than 1024 CPUs; a node has 1 to 1024");
    }
  }
}

TEST(PlacementTest, CoreSpecializationConfinesEverythingButRanks) {
  PlacementRequest request;
  request.ranks_per_node = 4;
  request.service_cpus = 2;
  const Placement placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.service_cpus, (Cpus{30, 31}));
  EXPECT_EQ(placement.application_cpus, range(0, 29));
  EXPECT_EQ(placement.interrupt_cpu, 30);
  EXPECT_EQ(placement.noise_cpus, placement.service_cpus);
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(placement.rank_cpus[static_cast<std::size_t>(rank)], Cpus{rank});
    EXPECT_EQ(placement.progress_cpus[static_cast<std::size_t>(rank)], placement.service_cpus);
  }
}

TEST(PlacementTest, WithoutASpareCpuProgressThreadsShareTheRanks) {
  PlacementRequest request;
  request.ranks_per_node = 32;
  const Placement placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.progress_cpus[5], Cpus{5});
  EXPECT_EQ(placement.interrupt_cpu, 0);
  EXPECT_EQ(placement.noise_cpus, range(0, 31));
}

TEST(PlacementTest, SpareCpusWithoutCoreSpecializationConfineNothing) {
  PlacementRequest request;
  request.ranks_per_node = 30;
  const Placement placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.progress_cpus[5], (Cpus{30, 31}));
  EXPECT_EQ(placement.interrupt_cpu, 0);  // a rank's
  EXPECT_TRUE(placement.service_cpus.empty());
  request.progress_on_unassigned = false;
  EXPECT_EQ(Placement::make(NodeTopology::load("xe6"), request).progress_cpus[5], Cpus{5});
}

TEST(PlacementTest, MoreRanksThanApplicationCpusAreRefused) {
  PlacementRequest request;
  request.ranks_per_node = 32;
  request.service_cpus = 1;
  EXPECT_EQ(error_of("xe6", request),
            "-N 32 x -d 1 needs 32 CPUs per node, but 31 of 32 are application CPUs (-r 1)");
  request.ranks_per_node = 1;
  request.service_cpus = 32;
  EXPECT_NE(error_of("xe6", request).find("-r 32"), std::string::npos);
  request.service_cpus = 0;
  request.ranks_per_node = 4;
  request.depth = 9;
  EXPECT_NE(error_of("xe6", request).find("36 CPUs"), std::string::npos);
}

TEST(PlacementTest, DepthBindingUnitsAndLists) {
  PlacementRequest request;
  request.ranks_per_node = 2;
  request.depth = 4;
  request.binding = PlacementRequest::Binding::depth;
  Placement placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.rank_cpus[1], range(4, 7));
  request.binding = PlacementRequest::Binding::numa_node;
  placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.rank_cpus[1], range(0, 7));
  request.binding = PlacementRequest::Binding::none;
  EXPECT_EQ(Placement::make(NodeTopology::load("xe6"), request).rank_cpus[0], range(0, 31));
  request.binding = PlacementRequest::Binding::cpu;
  request.depth = 1;
  request.cpus_per_compute_unit = 1;
  placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.rank_cpus[1], Cpus{2});
  request.service_cpus = 2;  // those that -j leaves unused, from the highest on
  placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.service_cpus, (Cpus{29, 31}));
  EXPECT_EQ(placement.interrupt_cpu, 29);
  request.ranks_per_node = 16;
  EXPECT_EQ(Placement::make(NodeTopology::load("xe6"), request).rank_cpus[15], Cpus{30});
  request.service_cpus = 0;
  request.ranks_per_node = 2;
  request.binding = PlacementRequest::Binding::list;
  request.cpu_lists = {{5}, {9}};
  EXPECT_EQ(Placement::make(NodeTopology::load("xe6"), request).rank_cpus[1], Cpus{9});
  request.cpu_lists = {{5}, {32}};
  EXPECT_NE(error_of("xe6", request).find("CPU 32"), std::string::npos);
}

TEST(PlacementTest, RanksPerNumaNodeSpreadOverTheDies) {
  PlacementRequest request;
  request.ranks_per_node = 6;
  request.ranks_per_numa_node = 2;
  const Placement placement = Placement::make(NodeTopology::load("xe6"), request);
  EXPECT_EQ(placement.rank_cpus[1], Cpus{1});
  EXPECT_EQ(placement.rank_cpus[2], Cpus{8});
  EXPECT_EQ(placement.rank_cpus[5], Cpus{17});
  EXPECT_EQ(Placement::room(*NodeTopology::load("xe6"), request), 8);
  request.ranks_per_node = 9;
  EXPECT_NE(error_of("xe6", request).find("room for 8 ranks"), std::string::npos);
}

TEST(PlacementTest, ItsTextSaysWhoRunsWhere) {
  PlacementRequest request;
  request.ranks_per_node = 4;
  request.service_cpus = 1;
  EXPECT_EQ(Placement::make(NodeTopology::load("xe6"), request).text(),
            "node xe6 (32 CPUs): ranks on 0-3, interrupt on 31, progress threads on 31, core "
            "specialization on 31 (-r 1)");
}

}  // namespace
}  // namespace corespec
