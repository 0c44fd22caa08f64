// Where live ranks, progress and NIC threads run, on hosts that nobody here has.
#include "corespec/live/host_placement.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace corespec {
namespace {

using Cpus = std::vector<int>;
using Binding = PlacementRequest::Binding;

PlacementRequest request(int ranks, int service_cpus = 0, int depth = 1) {
  PlacementRequest request;
  request.ranks_per_node = ranks;
  request.service_cpus = service_cpus;
  request.depth = depth;
  return request;
}

HostPlacement place(const char* host, const PlacementRequest& asked, int local_rank = 0) {
  return HostPlacement::make(HostCpus::of(host), asked, 0, 1, local_rank);
}

TEST(HostPlacementTest, RanksTakeAComputeUnitEachWhileThereAreEnough) {
  const HostPlacement placement = place("xe6", request(4));
  EXPECT_EQ(placement.rank_cpus, (std::vector<Cpus>{{0}, {2}, {4}, {6}}));
  EXPECT_TRUE(placement.warning.empty());
  EXPECT_TRUE(placement.bound);
  EXPECT_FALSE(placement.shares_cpus);
  EXPECT_TRUE(placement.service_cpus.empty());
  // What no rank has is there for the library's threads.
  EXPECT_EQ(placement.progress_cpus.size(), 28U);
  EXPECT_EQ(placement.nic_cpus, placement.progress_cpus);
  // More ranks than units: both CPUs of each.
  const HostPlacement full = place("xe6", request(32));
  for (int rank = 0; rank < 32; ++rank) {
    EXPECT_EQ(full.rank_cpus[static_cast<std::size_t>(rank)], Cpus{rank});
  }
  EXPECT_EQ(full.progress_cpus, Cpus{0});
  EXPECT_EQ(full.nic_cpus, full.application_cpus);
  EXPECT_TRUE(full.warning.empty());
  PlacementRequest two = request(4);
  two.cpus_per_compute_unit = 2;
  EXPECT_EQ(place("xe6", two).rank_cpus, (std::vector<Cpus>{{0}, {1}, {2}, {3}}));
}

TEST(HostPlacementTest, ServiceCpusTakeEverythingButRanks) {
  const HostPlacement placement = place("numa:2 core:4 pu:2", request(6, 2), 5);
  // A rank to a core is enough, so what the ranks leave of cores is set aside first.
  EXPECT_EQ(placement.service_cpus, (Cpus{13, 15}));
  EXPECT_EQ(placement.progress_cpus, placement.service_cpus);
  EXPECT_EQ(placement.nic_cpus, placement.service_cpus);
  EXPECT_EQ(placement.application_cpus.size(), 14U);
  EXPECT_EQ(placement.rank_cpus[5], Cpus{10});
  EXPECT_TRUE(placement.warning.empty());
}

TEST(HostPlacementTest, DepthAndBindingAsAprunHasThem) {
  PlacementRequest asked = request(2, 0, 4);
  asked.binding = Binding::depth;
  EXPECT_EQ(place("numa:2 core:4 pu:2", asked).rank_cpus,
            (std::vector<Cpus>{{0, 2, 4, 6}, {8, 10, 12, 14}}));
  asked.binding = Binding::numa_node;
  EXPECT_EQ(place("numa:2 core:4 pu:1", asked).rank_cpus,
            (std::vector<Cpus>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  asked.binding = Binding::none;
  asked.depth = 1;
  const HostPlacement free = place("core:4 pu:1", asked);
  EXPECT_EQ(free.rank_cpus[1], (Cpus{0, 1, 2, 3}));
  EXPECT_FALSE(free.bound);
  asked.service_cpus = 1;  // which are not the ranks'
  const HostPlacement confined = place("core:4 pu:1", asked);
  EXPECT_EQ(confined.rank_cpus[1], (Cpus{0, 1, 2}));
  EXPECT_TRUE(confined.bound);
  asked.binding = Binding::list;
  asked.cpu_lists = {{2}, {0, 1}};
  EXPECT_EQ(place("core:4 pu:1", asked).rank_cpus, (std::vector<Cpus>{{2}, {0, 1}}));
  asked.cpu_lists = {{5}, {0, 1}};  // three application CPUs: starts again from the first
  const HostPlacement folded = place("core:4 pu:1", asked);
  EXPECT_EQ(folded.rank_cpus, (std::vector<Cpus>{{2}, {0, 1}}));
  EXPECT_FALSE(folded.warning.empty());
  asked.cpu_lists = {{0}};
  EXPECT_THROW(place("core:4 pu:1", asked), std::invalid_argument);
}

TEST(HostPlacementTest, RestrictedCpusetsKeepTheSystemsNumbers) {
  const HostCpus host = HostCpus::of("xe6", {4, 5, 20, 21});
  EXPECT_EQ(host.os_index, (Cpus{4, 5, 20, 21}));
  const HostPlacement two = HostPlacement::make(host, request(2), 0, 1, 0);
  EXPECT_EQ(two.rank_cpus, (std::vector<Cpus>{{4}, {20}}));
  const HostPlacement three = HostPlacement::make(host, request(3, 1), 0, 1, 0);
  EXPECT_EQ(three.rank_cpus, (std::vector<Cpus>{{4}, {5}, {20}}));
  EXPECT_EQ(three.service_cpus, Cpus{21});
  EXPECT_TRUE(three.warning.empty());
}

TEST(HostPlacementTest, TooManyRanksShareEvenly) {
  for (const int ranks : {3, 4, 5, 8, 17}) {
    const HostPlacement placement = place("core:3 pu:1", request(ranks));
    std::map<int, int> users;
    for (const Cpus& own : placement.rank_cpus) {
      ASSERT_EQ(own.size(), 1U);
      ++users[own.front()];
    }
    EXPECT_EQ(users.size(), 3U) << ranks;
    const auto [least, most] =
        std::minmax_element(users.begin(), users.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE(most->second - least->second, 1) << ranks;
    EXPECT_EQ(placement.warning.empty(), ranks == 3);
    EXPECT_EQ(placement.shares_cpus, ranks != 3);
  }
  const HostPlacement deep = place("core:4 pu:1", request(2, 0, 4));
  EXPECT_EQ(deep.rank_cpus, (std::vector<Cpus>{{0}, {2}}));
  EXPECT_EQ(deep.warning,
            "2 ranks x 4 CPUs asked for on each node, but this host has 4 CPUs; ranks share CPUs");
}

TEST(HostPlacementTest, OneServiceCpuIsSetAsideWhereverThereAreTwo) {
  const HostPlacement one = place("core:1 pu:1", request(2, 1));
  EXPECT_TRUE(one.service_cpus.empty());
  EXPECT_EQ(one.rank_cpus, (std::vector<Cpus>{{0}, {0}}));
  EXPECT_EQ(one.nic_cpus, Cpus{0});
  EXPECT_EQ(one.warning,
            "2 ranks x 1 CPU and 1 service CPU asked for on each node, but this host has 1 CPU; "
            "ranks share CPUs; none is set aside");
  const HostPlacement two = place("core:2 pu:1", request(2, 1));
  EXPECT_EQ(two.service_cpus, Cpus{1});
  EXPECT_EQ(two.rank_cpus, (std::vector<Cpus>{{0}, {0}}));
  EXPECT_EQ(two.progress_cpus, Cpus{1});
  EXPECT_FALSE(two.warning.empty());
  const HostPlacement eight = place("core:8 pu:1", request(7, 3), 6);
  EXPECT_EQ(eight.service_cpus, Cpus{7});
  EXPECT_EQ(eight.rank_cpus[6], Cpus{6});
  EXPECT_EQ(eight.warning,
            "7 ranks x 1 CPU and 3 service CPUs asked for on each node, but this host has 8 CPUs; "
            "1 is set aside");
  EXPECT_TRUE(place("core:8 pu:1", request(5, 3)).warning.empty());
  EXPECT_EQ(place("core:8 pu:1", request(5, 3)).service_cpus, (Cpus{5, 6, 7}));
  EXPECT_EQ(place("core:2 pu:1", request(1, 9)).service_cpus, Cpus{1});
}

TEST(HostPlacementTest, SeveralNodesCutTheHostUp) {
  const HostCpus host = HostCpus::of("numa:2 core:4 pu:2");
  for (const int nodes : {1, 2, 3, 4, 8}) {
    std::vector<int> uses(16, 0);
    for (int node = 0; node < nodes; ++node) {
      const HostPlacement placement = HostPlacement::make(host, request(1, 1), node, nodes, 0);
      EXPECT_EQ(placement.service_cpus.size(), 1U);
      for (const Cpus* cpus : {&placement.application_cpus, &placement.service_cpus}) {
        for (const int cpu : *cpus) ++uses[static_cast<std::size_t>(cpu)];
      }
      // Hardware threads of a core are one node's.
      EXPECT_EQ(placement.application_cpus.front() % 2, 0);
    }
    EXPECT_EQ(uses, std::vector<int>(16, 1)) << nodes;
  }
  EXPECT_EQ(HostPlacement::make(host, request(4), 1, 2, 3).rank_cpus,
            (std::vector<Cpus>{{8}, {10}, {12}, {14}}));
  // More nodes than CPUs: everybody has one.
  std::map<int, int> users;
  for (int node = 0; node < 5; ++node) {
    const HostPlacement placement =
        HostPlacement::make(HostCpus::of("core:2 pu:1"), request(1, 1), node, 5, 0);
    ASSERT_EQ(placement.application_cpus.size(), 1U);
    ++users[placement.application_cpus.front()];
    EXPECT_EQ(placement.warning,
              "1 rank x 1 CPU and 1 service CPU asked for on each node, but 5 nodes share the 2 "
              "CPUs of this host; ranks share CPUs; none is set aside");
    EXPECT_TRUE(placement.shares_cpus);
  }
  EXPECT_EQ(users.size(), 2U);
}

TEST(HostPlacementTest, ProgressThreadsWithoutACpuOfTheirOwnAreGuests) {
  EXPECT_TRUE(place("core:4 pu:1", request(4)).progress_is_guest);
  EXPECT_TRUE(place("core:4 pu:1", request(9)).progress_is_guest);
  const HostCpus two = HostCpus::of("core:2 pu:1");
  EXPECT_TRUE(HostPlacement::make(two, request(1), 1, 2, 0).progress_is_guest);
  EXPECT_TRUE(HostPlacement::make(two, request(1, 1), 1, 2, 0).progress_is_guest);
  EXPECT_FALSE(place("core:4 pu:1", request(3)).progress_is_guest) << "a CPU is free";
  EXPECT_FALSE(place("core:4 pu:1", request(4, 1)).progress_is_guest) << "one is reserved";
  PlacementRequest at_home = request(4);
  at_home.progress_on_unassigned = false;
  EXPECT_FALSE(place("core:4 pu:1", at_home).progress_is_guest) << "told to stay";
  PlacementRequest free = request(4);
  free.binding = Binding::none;
  EXPECT_FALSE(place("core:4 pu:1", free).progress_is_guest) << "the kernel decides";
}

TEST(HostPlacementTest, OneLineSaysWhoIsWhere) {
  EXPECT_EQ(place("core:4 pu:1", request(2, 1)).text(),
            "ranks on 0-1, progress threads on 3, NIC threads on 3, core specialization on 3");
  EXPECT_EQ(place("core:2 pu:1", request(2), 1).text(),
            "ranks on 0-1, progress threads on 1 or where a rank waits, NIC threads on 0-1, no "
            "core specialization");
}

TEST(HostPlacementTest, ThisHostIsWhatTheKernelSays) {
  const HostCpus host = HostCpus::of_this_host();
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(static_cast<int>(host.os_index.size()), CPU_COUNT(&set));
  for (const int cpu : host.os_index) EXPECT_TRUE(CPU_ISSET(cpu, &set));
  EXPECT_EQ(HostCpus::allowed().size(), host.os_index.size());
}

TEST(HostPlacementTest, ABoundCallerLeavesOutWhatItMayNotUse) {
  const Cpus all = HostCpus::allowed();
  const int last = all.back();
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(HostCpus::of_this_host().os_index, Cpus{last});
  Cpus whole = HostCpus::of_this_host(all).os_index;  // what others may use
  std::sort(whole.begin(), whole.end());
  EXPECT_EQ(whole, all);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace corespec
