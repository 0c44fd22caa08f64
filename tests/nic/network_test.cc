// NICs on the real torus, each node in a domain of its own.
#include "corespec/virtual/machine.h"
#include "tests/nic/test_machine.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace nic_test {
namespace {

// Two nodes on two Geminis; returns the run's fingerprint.
std::uint64_t exchange() {
  const corespec::Parameters parameters;
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
      gemini::make_network(parameters, gemini::make_topology("2x1x1"), places);
  machine.engine().set_least_delay(network->least_delay());
  auto placement = std::make_shared<corespec::Placement>(corespec::Placement::make(
      corespec::NodeTopology::load("package:1 core:4 pu:1"), corespec::PlacementRequest{}));
  std::vector<std::unique_ptr<corespec::Process>> ranks;
  std::vector<std::unique_ptr<Side>> sides(2);
  int done = 0;
  for (int rank = 0; rank < 2; ++rank) {
    const int nid = rank * 2;
    corespec::VirtualNode& node =
        machine.add_node(nid, *domains[static_cast<std::size_t>(rank)], placement);
    node.set_device(std::make_unique<nic::Nic>(node, *network));
    ranks.push_back(std::make_unique<corespec::Process>(job, node, rank, 0));
    node.start_thread(corespec::ThreadRole::application, ranks.back().get(), [&, rank] {
      const auto own = static_cast<std::size_t>(rank);
      sides[own] = std::make_unique<Side>(static_cast<std::uint32_t>(rank), 0, GNI_CQ_BLOCKING);
      sleep_us(50);
      Side& side = *sides[own];
      Side& peer = *sides[1 - own];
      side.bind(peer);
      // The upper half of the peer's memory is ours to write, the lower half its own.
      auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 30000, 0, 32768);
      put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.rx, 10, &entry));
      EXPECT_EQ(peer.instance, GNI_CQ_GET_INST_ID(entry));
      EXPECT_EQ(0, std::memcmp(side.memory.data() + 32768, peer.memory.data(), 30000));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.tx, 10, &entry));
      auto amo = side.descriptor(GNI_POST_AMO, peer, 8);
      amo.amo_cmd = GNI_FMA_ATOMIC_FADD;
      amo.first_operand = 1;
      amo.local_addr = (side.base() + 64000) & ~std::uint64_t{7};
      amo.remote_addr = (peer.base() + 65000) & ~std::uint64_t{7};
      std::uint64_t before = 0;
      std::memcpy(&before, reinterpret_cast<void*>(amo.remote_addr), 8);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &amo));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.tx, 10, &entry));
      std::uint64_t fetched = 0;
      std::memcpy(&fetched, reinterpret_cast<void*>(amo.local_addr), 8);
      EXPECT_EQ(before, fetched);
      auto bad = side.descriptor(GNI_POST_RDMA_GET, peer, 40000);
      bad.remote_mem_hndl = {1, 1};
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &bad));
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_CqWaitEvent(side.tx, 10, &entry));
      ++done;
    });
  }
  const auto result = machine.run();
  EXPECT_FALSE(result.deadlock);
  EXPECT_EQ(2, done);
  return result.fingerprint;
}

TEST(NetworkTest, TransfersOverTheTorusRepeatExactly) { EXPECT_EQ(exchange(), exchange()); }

}  // namespace
}  // namespace nic_test
