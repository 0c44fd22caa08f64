// The virtual machine.
#include "corespec/virtual/machine.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "corespec/threads/current_thread.h"
#include "corespec/threads/process.h"

namespace corespec {

VirtualMachine::VirtualMachine(const Parameters& parameters, std::size_t expected_threads)
    : parameters_(parameters),
      stacks_(static_cast<std::size_t>(parameters.stack_size), expected_threads) {
  exchange_thread_adopter(&no_more_threads());  // it starts all of its threads itself
}

VirtualMachine::~VirtualMachine() = default;

VirtualNode& VirtualMachine::add_node(int nid, VirtualDomain& domain,
                                      std::shared_ptr<const Placement> placement) {
  const ThreadSources threads(numbered_nodes_++);
  nodes_.push_back(std::make_unique<VirtualNode>(*this, nid, domain, make_source(), threads,
                                                 std::move(placement)));
  return *nodes_.back();
}

void VirtualMachine::skip_node() {
  ++numbered_nodes_;
  next_source_ += VirtualNode::sources(parameters_);
}

void VirtualMachine::end_for_overflow(const Process* process) const {
  throw std::runtime_error(fmt::format(
      "{}: its stack has overflowed; raise CASTOR_STACK_SIZE (now {})",
      process == nullptr ? "a thread of a node" : fmt::format("rank {}", process->rank()),
      shown_value(parameters_, "CASTOR_STACK_SIZE")));
}

VirtualMachine::Result VirtualMachine::run() {
  constexpr std::size_t most_lines = 8;
  const Engine::End end = engine_.run();
  Result result;
  result.end = end;
  result.time = engine_.latest();
  result.events = engine_.events();
  result.hashes = engine_.hashes();
  result.fingerprint = Engine::fingerprint(result.hashes);
  if (end != Engine::End::nothing_left) return result;
  std::set<int> ranks;
  for (const auto& node : nodes_) {
    if (node->halted()) continue;
    for (const auto& thread : node->threads()) {
      if (thread->finished() || thread->role() != ThreadRole::application) continue;
      const Process* process = thread->process();
      const int rank = process == nullptr ? -1 : process->rank();
      result.deadlock = true;
      ranks.insert(rank);
      if (result.stuck.size() == most_lines) continue;
      result.stuck.push_back(
          fmt::format("rank {} (node {}) {}", rank, node->nid(), thread->waiting_for()));
    }
  }
  result.stuck_ranks = ranks.size();
  return result;
}

}  // namespace corespec
