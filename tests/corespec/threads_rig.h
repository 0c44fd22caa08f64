// One node in a machine of its own, with ranks that belong to no job.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <vector>

#include "corespec/threads/process.h"
#include "corespec/virtual/machine.h"

namespace corespec {

inline void PrintTo(Time time, std::ostream* out) { *out << time.ns() << " ns"; }

constexpr Time ns(double value) { return Time::nanoseconds(value); }
constexpr Time us(double value) { return Time::microseconds(value); }

/// One node in a machine of its own; ranks without a job.
class ThreadsTest : public testing::Test {
 protected:
  void build(const PlacementRequest& request, const Parameters& parameters = Parameters()) {
    machine = std::make_unique<VirtualMachine>(parameters, 64);
    auto placement =
        std::make_shared<Placement>(Placement::make(NodeTopology::load(description), request));
    node = &machine->add_node(0, machine->add_domain(), placement);
    for (int local = 0; local < request.ranks_per_node; ++local) {
      ranks.push_back(
          std::make_unique<Process>(*static_cast<Job*>(nullptr_job()), *node, local, local));
    }
  }
  void build(int ranks_per_node, int service) {
    PlacementRequest request;
    request.ranks_per_node = ranks_per_node;
    request.service_cpus = service;
    build(request);
  }
  static void* nullptr_job() {
    static const long never_used[64] = {};
    return const_cast<long*>(never_used);
  }
  Thread& start(int rank, std::function<void()> body) {
    return node->start_thread(ThreadRole::application, ranks[static_cast<std::size_t>(rank)].get(),
                              std::move(body));
  }
  Thread& start_progress(int rank, std::function<void()> body) {
    return node->start_thread(ThreadRole::progress, ranks[static_cast<std::size_t>(rank)].get(),
                              std::move(body));
  }

  const char* description = "package:1 core:4 pu:1";  ///< of the node, before build()
  std::unique_ptr<VirtualMachine> machine;
  VirtualNode* node = nullptr;
  std::vector<std::unique_ptr<Process>> ranks;
};

struct Queue final : InterruptWaiter {
  bool ready() const override { return entries > 0; }
  int entries = 0;
};

/// Raises the node's interrupt at a given time, as a NIC does, with an event for `queue`.
struct Device final : Event {
  Device(VirtualNode& n, Time at, Queue* q) : node(n), queue(q), source{0xfff, 0} {
    node.domain().schedule(at, source, *this, 0);
  }
  void fire(std::uint64_t) override {
    if (queue != nullptr) ++queue->entries;
    node.raise_interrupt();
  }
  VirtualNode& node;
  Queue* queue;
  EventSource source;
};

}  // namespace corespec
