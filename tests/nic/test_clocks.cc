// The two clocks on which the NIC's tests run.
#include "tests/nic/test_clocks.h"

#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corespec/live/live_node.h"
#include "corespec/threads/current_thread.h"
#include "corespec/virtual/machine.h"
#include "tests/support/test_clock.h"

namespace nic_test {
namespace {

corespec::PlacementRequest one_rank(int cores) {
  corespec::PlacementRequest request;
  request.ranks_per_node = 1;
  request.depth = cores;
  return request;
}

class Virtual final : public TestClock {
 public:
  Virtual(const corespec::Parameters& parameters, int cores)
      : machine_(parameters, 64),
        domain_(machine_.add_domain()),
        placement_(std::make_shared<corespec::Placement>(corespec::Placement::make(
            corespec::NodeTopology::load("package:1 core:" + std::to_string(cores) + " pu:1"),
            one_rank(cores)))) {}

  corespec::EventSource make_source() override { return machine_.make_source(); }
  corespec::Node& add_node(int nid) override { return machine_.add_node(nid, domain_, placement_); }
  void start(corespec::Node& node, corespec::ThreadRole role, corespec::Process* process,
             std::function<void()> body) override {
    node.start_thread(role, process, std::move(body));
  }
  bool run() override { return !machine_.run().deadlock; }
  void stop() override { machine_.stop(); }

 private:
  corespec::VirtualMachine machine_;
  corespec::VirtualDomain& domain_;
  std::shared_ptr<const corespec::Placement> placement_;
};

/// All nodes in this process, on one domain; the first one's NIC thread serves it.
class Live final : public TestClock {
 public:
  Live(const corespec::Parameters& parameters, int node_count)
      : parameters_(parameters),
        node_count_(node_count),
        clock_(corespec::LiveClock::host_nanoseconds()),
        domain_(clock_) {
    // All ranks' threads are started here: a call of the main one, after the ranks, makes it none.
    corespec::exchange_thread_adopter(&corespec::no_more_threads());
  }

  corespec::EventSource make_source() override { return {++wire_sources_ + first_wire_source, 0}; }
  corespec::Node& add_node(int nid) override {
    const int file = corespec::SharedNodeMemory::make_file();
    auto memory = std::make_unique<corespec::SharedNodeMemory>(
        getpid(), file, std::vector<int>{nid}, std::vector<int>{getpid()});
    close(file);
    nodes_.push_back(std::make_unique<corespec::LiveNode>(
        corespec::LiveNode::Identity{nid, 0, 1}, parameters_, domain_, std::move(memory),
        corespec::HostPlacement::make(corespec::HostCpus::of_this_host(), one_rank(1), nid,
                                      node_count_, 0)));
    return *nodes_.back();
  }
  void start(corespec::Node& node, corespec::ThreadRole role, corespec::Process* process,
             std::function<void()> body) override {
    starts_.push_back({&node, role, process, [this, body = std::move(body)] {
                         try {
                           body();
                         } catch (const GoesNoFurther&) {
                           all_ended_ = false;
                         }
                       }});
  }
  bool run() override {
    nodes_.front()->start_service();
    std::vector<corespec::Thread*> threads;
    for (Start& each : starts_) {
      threads.push_back(&each.node->start_thread(each.role, each.process, std::move(each.body)));
    }
    for (corespec::Thread* thread : threads) thread->node().join(*thread);
    nodes_.front()->stop_service();
    return all_ended_;
  }
  void stop() override { throw std::logic_error("live threads end by themselves"); }

 private:
  static constexpr std::uint32_t first_wire_source = 1000;
  struct Start {
    corespec::Node* node;
    corespec::ThreadRole role;
    corespec::Process* process;
    std::function<void()> body;
  };

  corespec::Parameters parameters_;
  int node_count_;
  corespec::LiveClock clock_;
  corespec::LiveDomain domain_;
  std::vector<std::unique_ptr<corespec::LiveNode>> nodes_;
  std::vector<Start> starts_;
  std::atomic<bool> all_ended_{true};
  std::uint32_t wire_sources_ = 0;
};

}  // namespace

bool live() {
  static const bool answer = castor_test::live_clock();
  return answer;
}

std::unique_ptr<TestClock> TestClock::make(const corespec::Parameters& parameters, int node_count,
                                           int cores) {
  if (live()) return std::make_unique<Live>(parameters, node_count);
  return std::make_unique<Virtual>(parameters, cores);
}

}  // namespace nic_test
