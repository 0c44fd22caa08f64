// Collective engines on the real torus, each node in a domain of its own.
#include "corespec/virtual/machine.h"
#include "tests/nic/collective_tree.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace nic_test {
namespace {

/// Four nodes on the real torus, each in a domain of its own; the run's fingerprint.
std::uint64_t reduce_on_torus(Time& taken) {
  corespec::Parameters parameters;
  parameters.nic = "aries";
  corespec::VirtualMachine machine(parameters, 64);
  TestJob job(parameters);
  std::vector<corespec::VirtualDomain*> domains;
  gemini::NetworkDomains places;
  places.nodes = [&](gemini::RouterId) -> corespec::EventDomain& {
    domains.push_back(&machine.add_domain());
    return *domains.back();
  };
  places.make_source = [&] { return machine.make_source(); };
  const std::unique_ptr<gemini::Network> network =
      gemini::make_network(parameters, gemini::make_topology("4x1x1"), places);
  machine.engine().set_least_delay(network->least_delay());
  auto placement = std::make_shared<corespec::Placement>(corespec::Placement::make(
      corespec::NodeTopology::load("package:1 core:4 pu:1"), corespec::PlacementRequest{}));
  constexpr int count = 4;
  std::vector<std::unique_ptr<corespec::Process>> ranks;
  std::vector<std::unique_ptr<TreeNode>> nodes(count);
  int done = 0;
  for (int rank = 0; rank < count; ++rank) {
    corespec::VirtualNode& node =
        machine.add_node(rank * 2, *domains[static_cast<std::size_t>(rank)], placement);
    node.set_device(std::make_unique<nic::Nic>(node, *network));
    ranks.push_back(std::make_unique<corespec::Process>(job, node, rank, 0));
    node.start_thread(corespec::ThreadRole::application, ranks.back().get(), [&, rank] {
      auto& own = nodes[static_cast<std::size_t>(rank)];
      own = std::make_unique<TreeNode>(rank, 2);
      sleep_us(300);
      std::vector<gni_ep_handle_t> children = own->participant_edges();
      const auto neighbour = [&](int step) -> const TreeNode& {
        return *nodes[static_cast<std::size_t>(rank + step)];
      };
      if (rank + 1 < count) {
        children.push_back(
            own->edge(neighbour(1).owner().address, neighbour(1).id, 2, GNI_CE_CHILD_VCE));
      }
      const gni_ep_handle_t parent = rank == 0 ? nullptr
                                               : own->edge(neighbour(-1).owner().address,
                                                           neighbour(-1).id, 2, GNI_CE_CHILD_VCE);
      ASSERT_EQ(GNI_RC_SUCCESS, own->configure(children, parent, GNI_CE_MODE_CQE_ONCOMP));
      for (std::size_t i = 0; i < 2; ++i) {
        own->participants[i]->join(own->owner().address, own->id, static_cast<std::uint32_t>(i));
      }
      sleep_until(Time::microseconds(600));
      for (std::uint64_t k = 0; k < 5; ++k) {
        for (const auto& each : own->participants) {
          EXPECT_EQ(GNI_RC_SUCCESS,
                    contribute(*each, each->descriptor(GNI_FMA_CE_IADD, k, {1, k})));
        }
        for (const auto& each : own->participants) {
          EXPECT_EQ(GNI_RC_SUCCESS, each->result());
          EXPECT_EQ(8U, each->results->result1);
          EXPECT_EQ(8 * k, each->results->result2);
        }
      }
      taken = std::max(taken, now() - Time::microseconds(600));
      ++done;
    });
  }
  const auto result = machine.run();
  EXPECT_FALSE(result.deadlock);
  EXPECT_EQ(count, done);
  return result.fingerprint;
}

TEST(CollectiveNetworkTest, ReductionsOverTheTorusRepeatExactly) {
  Time first;
  Time second;
  EXPECT_EQ(reduce_on_torus(first), reduce_on_torus(second));
  EXPECT_EQ(first, second);
  EXPECT_GT(first, Time::microseconds(5 * 6 * 1.0));  // six ways between nodes each
  EXPECT_LT(first, Time::microseconds(200));
}

}  // namespace
}  // namespace nic_test
