// Trees of collective engines for the NIC's tests: a node of the machine is a node of the tree.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "tests/nic/test_machine.h"

namespace nic_test {

inline corespec::Parameters aries_parameters() {
  corespec::Parameters parameters = free_software();
  parameters.nic = "aries";
  parameters.ce_step = parameters.ce_step * slower();
  return parameters;
}

/// Threads wait for each other, any number of times.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  void meet() {
    const int round = round_.load();
    if (++here_ == count_) {
      here_.store(0);
      ++round_;
    } else {
      while (round_.load() == round) sleep_us(1);
    }
  }

 private:
  const int count_;
  std::atomic<int> here_{0};
  std::atomic<int> round_{0};
};

struct Operands {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// A participant: a domain, an endpoint for its engine, and places for results.
struct Participant {
  static constexpr std::size_t places = 80;

  explicit Participant(std::uint32_t instance) : side(instance) {
    const std::uint64_t first = (side.base() + 31) & ~std::uint64_t{31};
    results = reinterpret_cast<gni_ce_result_t*>(first);
  }
  void join(std::uint32_t engine_address, std::uint32_t engine, std::uint32_t child) const {
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(side.ep, engine_address, 7));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(side.ep, engine, child, GNI_CE_CHILD_PE));
  }
  gni_post_descriptor_t descriptor(gni_ce_cmd_type_t command, std::uint64_t reduction,
                                   const Operands& operands, std::size_t place = 0,
                                   std::uint32_t mode = GNI_CEMODE_TWO_OP) const {
    gni_post_descriptor_t made = {};
    made.type = GNI_POST_CE;
    made.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    made.local_addr = reinterpret_cast<std::uint64_t>(results + place);
    made.local_mem_hndl = side.handle;
    made.ce_cmd = command;
    made.ce_mode = mode;
    made.ce_red_id = reduction;
    made.first_operand = operands.first;
    made.second_operand = operands.second;
    return made;
  }
  /// Until the result is there, at most 10 ms of the tests' time.
  gni_return_t result(std::size_t place = 0) const {
    for (int i = 0; i < 100000; ++i) {
      const gni_return_t code = GNI_CeCheckResult(results + place, 1);
      if (code != GNI_RC_NOT_DONE) return code;
      sleep_us(0.1);
    }
    return GNI_RC_NOT_DONE;
  }

  Side side;
  gni_ce_result_t* results = nullptr;
};

/// A node of the tree: an engine and the node's participants. The first participant's domain has
/// the engine; its events come into `events`.
struct TreeNode {
  TreeNode(int node, int participant_count) {
    for (int i = 0; i < participant_count; ++i) {
      participants.push_back(
          std::make_unique<Participant>(static_cast<std::uint32_t>(node * 100 + i)));
    }
    const Side& owner = participants.front()->side;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(owner.nic, 1024, 0, 0, nullptr, nullptr, &events));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeCreate(owner.nic, &engine));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CeGetId(engine, &id));
  }
  const Side& owner() const { return participants.front()->side; }
  gni_ep_handle_t edge(std::uint32_t address, std::uint32_t engine_id, std::uint32_t child,
                       gni_ce_child_t type) const {
    gni_ep_handle_t ep = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(owner().nic, nullptr, &ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, address, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetCeAttr(ep, engine_id, child, type));
    return ep;
  }
  /// Endpoints for the participants, which are the first children.
  std::vector<gni_ep_handle_t> participant_edges() const {
    std::vector<gni_ep_handle_t> edges;
    for (const auto& each : participants) {
      edges.push_back(edge(each->side.address, static_cast<std::uint32_t>(-1),
                           static_cast<std::uint32_t>(edges.size()), GNI_CE_CHILD_PE));
    }
    return edges;
  }
  gni_return_t configure(std::vector<gni_ep_handle_t> children, gni_ep_handle_t parent,
                         std::uint32_t modes) {
    const auto count = static_cast<std::uint32_t>(children.size());
    return GNI_CeConfigure(engine, children.data(), count, parent, events, modes);
  }

  std::vector<std::unique_ptr<Participant>> participants;
  gni_cq_handle_t events = nullptr;
  gni_ce_handle_t engine = nullptr;
  std::uint32_t id = 0;
};

/// A machine whose nodes are a tree of `branches` children each, node 0 the root. `body` is run by
/// each node's rank when all engines are set up; it may meet the others.
class CollectiveTree {
 public:
  using Body = std::function<void(int node, TreeNode& own, Meeting& all)>;

  CollectiveTree(int nodes, int participants, int branches,
                 std::uint32_t modes = GNI_CE_MODE_CQE_ONERR)
      : machine(nodes, aries_parameters()),
        all(nodes),
        nodes_(static_cast<std::size_t>(nodes)),
        participants_(participants),
        branches_(branches),
        modes_(modes) {}

  void run(const Body& body) {
    const int count = static_cast<int>(nodes_.size());
    for (int node = 0; node < count; ++node) {
      machine.start(node, [this, node, &body] {
        auto& own = nodes_[static_cast<std::size_t>(node)];
        own = std::make_unique<TreeNode>(node, participants_);
        all.meet();
        connect(node, *own);
        all.meet();
        body(node, *own, all);
        all.meet();
        own.reset();
        ++ended_;
      });
    }
    machine.run();
    EXPECT_EQ(count, ended_.load());
  }

  TestMachine machine;
  Meeting all;

 private:
  const TreeNode& at(int node) const { return *nodes_[static_cast<std::size_t>(node)]; }

  void connect(int node, TreeNode& own) {
    std::vector<gni_ep_handle_t> children = own.participant_edges();
    for (int i = 1; i <= branches_; ++i) {
      const int child = node * branches_ + i;
      if (child >= static_cast<int>(nodes_.size())) break;
      children.push_back(own.edge(at(child).owner().address, at(child).id,
                                  static_cast<std::uint32_t>(participants_ + i - 1),
                                  GNI_CE_CHILD_VCE));
    }
    gni_ep_handle_t parent = nullptr;
    if (node != 0) {
      const TreeNode& above = at((node - 1) / branches_);
      parent = own.edge(above.owner().address, above.id,
                        static_cast<std::uint32_t>(participants_ + (node - 1) % branches_),
                        GNI_CE_CHILD_VCE);
    }
    ASSERT_EQ(GNI_RC_SUCCESS, own.configure(children, parent, modes_));
    for (std::size_t i = 0; i < own.participants.size(); ++i) {
      own.participants[i]->join(own.owner().address, own.id, static_cast<std::uint32_t>(i));
    }
  }

  std::vector<std::unique_ptr<TreeNode>> nodes_;
  int participants_;
  int branches_;
  std::uint32_t modes_;
  std::atomic<int> ended_{0};
};

/// One engine and its participants on the only node, set up with `modes`.
inline void run_engine(int participants, std::uint32_t modes,
                       const std::function<void(TreeNode&)>& body,
                       const corespec::Parameters& parameters = aries_parameters()) {
  run_rank(
      [&] {
        TreeNode node(0, participants);
        ASSERT_EQ(GNI_RC_SUCCESS, node.configure(node.participant_edges(), nullptr, modes));
        for (std::size_t i = 0; i < node.participants.size(); ++i) {
          node.participants[i]->join(node.owner().address, node.id, static_cast<std::uint32_t>(i));
        }
        body(node);
      },
      parameters);
}

/// Posts it, and the code that it ends with.
inline gni_return_t contribute(const Participant& participant, gni_post_descriptor_t post) {
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(participant.side.ep, &post));
  return complete(participant.side, post);
}

}  // namespace nic_test
